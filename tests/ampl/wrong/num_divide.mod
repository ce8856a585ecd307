param n := 3;
param p := 1/(n - 3);
var x >= p;
