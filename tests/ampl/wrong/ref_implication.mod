var x;
c: x <= 1 ==> x >= 2;
