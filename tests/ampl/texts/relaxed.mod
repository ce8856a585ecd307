# relaxed.mod - integer and binary variables, with bounds and starts, read with relaxed integrality: each declaration is noted.
param n := 3;
var k integer >= 0 <= 10 := 4;
var open {1..n} binary := 1;
var free {i in 1..2} integer;
var even {1..2} integer, >= 2;
minimize f: k^2 + sum {i in 1..n} i*open[i];
c1: k <= 4*sum {i in 1..n} open[i];
c2 {i in 1..2}: free[i] - even[i] >= -k;
