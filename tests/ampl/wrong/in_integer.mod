param a;
param n integer := a;
var x;
c: n*x <= 1;
