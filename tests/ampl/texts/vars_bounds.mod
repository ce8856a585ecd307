# vars_bounds.mod - bounds in every way: one or two, in any order with the start, by params, by conditions, infinite, equal, none.
param n := 4;
param lo {i in 1..n} := if i = 2 then -Infinity else -i;
param hi {i in 1..n} := if i >= 3 then Infinity else 10*i;
var a >= 0 := 1 <= 2;
var b := 3, <= 7;
var c <= 5 >= -5;
var d {i in 1..n} >= lo[i], <= hi[i], := i/2;
var e {i in 1..n} >= if i = 1 then 0 else -Infinity;
var g = a + b;                     # defined: no column
var h >= 3, <= 3;
var k {i in 1..3, j in 1..2: i <> j} >= i - j <= i + j := i*j;
var free {1..2};
minimize f: a + b + c + g^2;
r1 {i in 1..n}: d[i] + e[i] <= n;
r2: g + h >= 1;
r3: sum {i in 1..3, j in 1..2: i <> j} k[i,j] + free[1] - free[2] = 0;
