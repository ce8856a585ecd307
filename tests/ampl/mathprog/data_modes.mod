# data_modes.mod - all declarations first, all data last.
param n;
param a {1..n};
param b {1..n};
param k := 4;
var x {1..n} >= 0;
minimize f: sum {i in 1..n} a[i]*x[i];
subject to c {i in 1..n}: x[i] >= b[i];
d: sum {i in 1..n} x[i] <= k*n;
data;
param n := 3;
param a := 1 5  2 6  3 7;
param b := 1 1 2 2 3 3;
end;
