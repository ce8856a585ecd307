# rows_free.mod - a row without finite bounds is no row, and a group all of whose rows are free is no group.
param n := 4;
param top {i in 1..n} := if i mod 2 = 0 then i else Infinity;
param bottom {i in 1..n} := if i = 3 then -3 else -Infinity;
var x {i in 1..n} <= top[i];
minimize f: sum {i in 1..n} (x[i] - i)^2;
mixed {i in 1..n}: bottom[i] <= x[i] + x[n+1-i] <= top[i];
open: x[1] <= Infinity;
wide {i in 1..n}: -Infinity <= x[i] <= Infinity;
half: -Infinity <= x[1] - x[2] <= 5;
least {i in 1..2}: x[i] >= -1e300;
