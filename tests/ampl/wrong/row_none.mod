var x;
c: 2*x + 1;
