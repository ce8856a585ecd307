var x;
c: x = Infinity;
