# functions_minmax.mod - min and max as functions of several arguments and over index sets, with variables and with constants.
param n := 3;
param w {i in 1..n} := (i - 2)^2 + i;
param top := max {i in 1..n} w[i];
param low := min {i in 1..n: i > 1} w[i];
var x {i in 1..n} >= low - 3, <= max(top, 1, 2), := min(i, 2);
minimize f: max(x[1], x[2]^2, 0.1);
c1: max {i in 1..n} x[i] <= top;
c2: min {i in 1..n} (x[i] - i) >= -low * n;
c3: min(x[1] + x[2], x[2] * x[3]) - max(x[3], 1) <= 2;
c4: min(3, 2) * x[1] + max(4, 5, 6) * x[2] = 10;
