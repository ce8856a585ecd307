var x;
c: x <= 1;
c: x >= 0;
