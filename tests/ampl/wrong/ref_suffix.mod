var x;
c: x.slack <= 1;
