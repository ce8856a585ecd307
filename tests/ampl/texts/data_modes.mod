# data_modes.mod - data and model by turns: any other statement ends data mode, and data; starts it again.
# linear
param n;
param a {1..n};
data;
param n := 3;
param a := 1 5  2 6  3 7;
model;
var x {1..n} >= 0;      # in data mode this would be data
param b {1..n};
minimize f: sum {i in 1..n} a[i]*x[i];
data;
param b := 1 1 2 2 3 3;
subject to c {i in 1..n}: x[i] >= b[i];
model;
param k := 4;
d: sum {i in 1..n} x[i] <= k*n;
