var x;
c: 3 <= x <= 2;
