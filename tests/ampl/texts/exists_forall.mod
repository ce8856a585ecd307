# exists_forall.mod - exists and forall in conditions, in checks and in coefficients; within and in as conditions.
# linear
set V := 1..5;
set E := {(1,2), (2,3), (3,4), (4,1)};
param d {i in V} := card({(i,j) in E}) + card({(j,i) in E});
check: forall {(i,j) in E} i in V and j in V;
check: exists {i in V} d[i] = 0;
check: {1, 5} within V and not ({1, 6} within V);
var x {V} >= 0;
minimize f: sum {i in V} (if exists {(i,j) in E} j > i then 2 else 1) * x[i];
touched {i in V: exists {j in V} (i,j) in E or exists {j in V} (j,i) in E}: x[i] >= 1;
alone {i in V: forall {j in V} ((i,j) not in E and (j,i) not in E)}: x[i] = 0;
order {i in V: forall {(i,j) in E} i < j}: x[i] <= 10 - i;
