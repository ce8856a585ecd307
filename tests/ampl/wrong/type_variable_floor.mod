var x;
c: floor(x) <= 1;
