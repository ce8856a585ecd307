var x;
minimize f: x^2;
c: f <= 3;
