var x;
c: x <= p;
param p := 3;
