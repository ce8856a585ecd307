var x;
c: if 1 = 1 x <= 1;
