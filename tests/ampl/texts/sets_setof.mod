# sets_setof.mod - setof with computed members and tuples: projections without doubles, in the order of first appearance.
# linear
set ROUTES := {('KIEL','ULM'), ('KIEL','BONN'), ('ULM','BONN'), ('BONN','KIEL')};
set FROM := setof {(i,j) in ROUTES} i;
set TO := setof {(i,j) in ROUTES: i <> 'KIEL'} j;
set GRID := setof {i in 1..3, j in 1..3: i + j = 4} (j, i, i*j);
set SUMS := setof {i in 1..3, j in 1..3} i + j;
set REVERSED := setof {(i,j) in ROUTES} (j,i);
var go {ROUTES} >= 0;
var g {GRID};
var s {SUMS};
minimize f: sum {k in SUMS} k * s[k] + sum {(i,j,k) in GRID} k*g[i,j,k];
leave {i in FROM}: sum {(i,j) in ROUTES} go[i,j] <= 2;
arrive {j in TO}: sum {(i,j) in ROUTES} go[i,j] >= 1;
turn {(j,i) in REVERSED: j in TO}: go[i,j] <= 3;
set SQUARES := setof {i in 1..2} i^2 union {6};
same: sum {(i,j,k) in GRID: i = j} g[i,j,k] = sum {k in SQUARES inter SUMS} s[k];
