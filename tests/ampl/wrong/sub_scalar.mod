var x;
c: x[1] <= 1;
