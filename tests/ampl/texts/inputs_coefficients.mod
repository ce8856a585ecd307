# inputs_coefficients.mod - inputs as coefficients: a linear program whose matrix, right-hand side and costs come from the network's input.
param m := 2;  param n := 3;
param A {1..m, 1..n};
param b {1..m};
param c {1..n} >= 0;
var x {1..n} >= 0;
minimize f: sum {j in 1..n} c[j]*x[j];
rows {i in 1..m}: sum {j in 1..n} A[i,j]*x[j] >= b[i];
sum_to_one: sum {j in 1..n} x[j] = 1;
signs {i in 1..m}: (if b[i] >= 0.5 then x[1] else x[2]) <= sqrt(abs(b[i]));
