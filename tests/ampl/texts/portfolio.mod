# portfolio.mod - scenario returns: a two-dimensional list, `prod` over a set on constants, `**`, sums within sums.
# linear
set T := {1..3};
set A := {'bonds', 'gold', 'stock'};
param R {T, A};
param mean {j in A} := (prod {t in T} R[t,j]) ** (1/card(T));
param mu default 2;
var X {A} >= 0;
var Y {T} >= 0;
maximize payoff: mu * sum {j in A} mean[j]*X[j] - sum {t in T} Y[t] / card(T);
all_in: sum {j in A} X[j] = 1;
up {t in T}: sum {j in A} (R[t,j] - (sum {s in T} R[s,j]) / card(T)) * X[j] <= Y[t];
down {t in T}: -Y[t] <= sum {j in A} (R[t,j] - (sum {s in T} R[s,j]) / card(T)) * X[j];
data;
param R := 1 bonds 1.08  1 gold 0.9  1 stock 1.2
           2 bonds 1.04  2 gold 1.3  2 stock 0.8
           3 bonds 1.05  3 gold 1.15 3 stock 1.3 ;
end;
