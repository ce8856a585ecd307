# let_fix.mod - let, fix and unfix, single and indexed: starts, data after var, values in terms of earlier ones, conditions in the index.
param n := 3;
param c {i in 1..n} default i;
param shift;
set ACTIVE;
var x {1..n} >= 0 := 1;
var y {i in 1..n} >= -i;
var z >= 1 := 7;
minimize f: sum {i in 1..n} c[i]*x[i]^2 + shift*z;
r {i in ACTIVE}: x[i] + y[i] <= z;
let n := 4;                      # nothing has been instantiated yet
let shift := 2*n;
let {i in 1..n: i mod 2 = 0} c[i] := 10*i;
let {i in 1..n} y[i] := c[i]/2 + x[i];
let ACTIVE := {1, 2, 4};
let x[1] := 5;
let x[2] := x[1] + 1;
fix x[1];
fix {i in 3..n} y[i] := -i/2;
fix z;
fix x[3] := 0.5;
unfix z;
unfix {i in 1..n: i > 3} y[i];
