param n <= 5;
var x;
c: x <= 3;
data;
param n := 7;
