var x;
c: x + (1,2) <= 1;
