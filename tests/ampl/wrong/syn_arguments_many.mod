var x;
c: sin(x, 1) <= 1;
