var x;
c: x ~ 3;
