param n := 2;
var x >= Poisson(n - 3);
