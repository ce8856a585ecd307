# curve_fit.mod - Chebyshev fit of a line: a computed param, rows on both sides of a bound, unary minus, free variables.
# linear
param m := 5;
param a {1..m};
param b {i in 1..m} := 2*a[i] + (if i mod 2 = 0 then 0.5 else -0.25);
var slope;
var shift;
var worst >= 0;
minimize deviation: worst;
above {i in 1..m}: slope*a[i] + shift - b[i] <= worst;
below {i in 1..m}: -slope*a[i] - shift + b[i] <= worst;
data;
param a := 1 0, 2 .5, 3 1., 4 15e-1, 5 +2;
end;
