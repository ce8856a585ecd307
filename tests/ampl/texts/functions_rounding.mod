# functions_rounding.mod - floor ceil round trunc with one and two arguments, div, mod, less, on constants and indices.
param n := 7;
param r := 2.675;
var x {1..n} >= 0;
minimize f: sum {i in 1..n} (i mod 3) * x[i];
c1 {i in 1..n div 2}: x[i] + x[n - i] <= floor(r*i);
c2 {i in 1..n: i mod 3 = 0}: x[i] >= ceil(i/2) - 5;
c3: trunc(-r)*x[1] + round(r)*x[2] + round(r, 1)*x[3] + trunc(r*10, -1)*x[4] >= 0;
c4: x[5] <= 5 less 3;
c5: x[6] + (3 less 5)*x[1] <= 8;                           # 3 less 5 is 0
c6 {i in 1..3}: x[i] less 0.5 <= 2;                        # max(x - 0.5, 0)
c7: (-7 div 2)*x[1] + (-7 mod 4)*x[2] + (7 mod -4)*x[3] + 7.5 div 2 >= -40;
