# rows_constant.mod - rows in which no variable is left: they hold, stay rows and have no nonzeros; terms with the factor 0 drop out.
param n := 3;
param zero {i in 1..n} := if i = 2 then 5 else 0;
var x {1..n};
var gone := 2;
fix gone := 4;
minimize f: sum {i in 1..n} x[i]^2;
a {i in 1..n}: zero[i]*x[i] <= i;
b {i in 1..n}: sum {j in i+1..n} x[j] >= -7;
c: gone^2 - 1 <= 20;
d: gone*x[1] + 0*x[2]*x[3] = 0;
