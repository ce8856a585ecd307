param n integer;
var x >= n;
data;
param n := 2.5;
