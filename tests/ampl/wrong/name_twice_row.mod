var c;
minimize f: c;
c: 2*c <= 1;
