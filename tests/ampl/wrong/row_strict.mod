var x;
c: x < 1;
