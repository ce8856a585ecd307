var x;
c: x <= 1 or x >= 2;
