# empty_sets.mod - ranges without members, a set without members, sums over nothing, a constraint that is never instantiated.
# linear
set NONE := {};
set BACK := 5..1;
set HOLES within 1..4;
param w {NONE};
var x {1..4} >= 0;
var ghost {BACK};
minimize f: sum {i in 1..4} x[i] + sum {i in NONE} w[i] * x[i] + sum {j in BACK} ghost[j];
never {i in NONE}: x[i] >= 1;
also_never {i in 1..4: i > 7}: x[i] >= 1;
some {i in 1..4}: x[i] + sum {h in HOLES} x[h] >= 2;
data;
set HOLES := ;
end;
