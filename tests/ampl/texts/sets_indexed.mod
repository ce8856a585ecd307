# sets_indexed.mod - families of sets: computed by index, of pairs, united over an index, looked up with expressions as subscripts.
# linear
param n := 3;
set UP {i in 1..n} := i..n;
set NEXT {i in 1..n, j in UP[i]} := {i, j};
set PAIRS {i in 1..n} within {1..n, 1..n} := setof {j in 1..i} (i,j);
set ANY := union {i in 1..n} {i, i^2};
set ALL := inter {i in 1..n} 1..n+i;
var x {i in 1..n, UP[i]} >= 0;
var y {ANY};
minimize f: sum {i in 1..n, j in UP[i]} (i + j) * x[i,j] + sum {k in ANY} k*y[k];
c1 {i in 1..n}: sum {j in UP[n+1-i]} x[n+1-i, j] <= card(UP[i]);
c2 {i in 1..n, j in UP[i]: i < j}: sum {k in NEXT[i,j]} y[k] >= i*j;
c3 {i in 2..n}: sum {(a,b) in PAIRS[i]} y[b] = card(PAIRS[i]);
c4: sum {k in ALL} y[if k <= 3 then k else 9] <= 10;
