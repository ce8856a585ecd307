# thomson.mod - charges on a sphere: pairs i < j, powers -1/2, a starting spiral, the first charge fixed by a condition.
param np := 4;
set PAIRS := {i in 1..np, j in 1..np: i < j};
var x {i in 1..np} := cos(2*i);
var y {i in 1..np} := sin(2*i);
var z {i in 1..np} := (2*i - 1)/np - 1;
minimize potential: sum {(i,j) in PAIRS} ((x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2)^(-1/2);
ball {i in 1..np}: x[i]^2 + y[i]^2 + z[i]^2 = 1;
fix {i in 1..np: i = 1} x[i] := 1;
far {(i,j) in PAIRS: j = i + 1}: (x[i] - x[j])**2 + (y[i] - y[j])**2 >= 0.01;
