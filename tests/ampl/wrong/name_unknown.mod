var x;
c: x + y <= 1;
