var x;
c: 1 <= x = 2;
