var x;
c: atan2(x) <= 1;
