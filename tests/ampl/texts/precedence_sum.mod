# precedence_sum.mod - sum and prod reach over * and / but not over +; sums of sums; sums in products, quotients and powers.
param n := 3;
param w {i in 1..n} := i;
var x {1..n} := 1;
var s >= 1;
minimize f: sum {i in 1..n} w[i] * x[i] / 2 + s;
c1: sum {i in 1..n} x[i] + 1 <= 9;                     # the 1 is added once
c2: sum {i in 1..n} x[i]^2 * 2 - sum {i in 1..n} x[i] <= 9;
c3: 2 * sum {i in 1..n} x[i] * s >= 0;
c4: (sum {i in 1..n} x[i])^2 / s <= 40;
c5: prod {i in 1..n} x[i] + prod {i in 2..n} (x[i] - 1) = 1;
c6: - sum {i in 1..n} x[i] - s <= 0;
c7: sum {i in 1..n} sum {j in i..n} x[i] * x[j] >= -1;
c8: sum {i in 1..n, j in 1..n: i < j} (x[i] - x[j])^2 <= 30;
c9: s - sum {i in 1..2} -x[i] + x[3] <= 12;
