var x;
c: x <= log(-1);
