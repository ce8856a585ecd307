# sets_conditions.mod - later index sets depend on earlier dummies; conditions on several dummies; nested index lists; sets of sets.
# linear
param n := 4;
param a {i in 1..n, j in i..n} := i + 10*j;
set LINK := {i in 1..n, j in 1..n: i <> j and (i + j) mod 2 = 1};
var x {i in 1..n, j in i..n};
minimize f: sum {i in 1..n, j in i..n} a[i,j]*x[i,j];
c1 {i in 1..n, j in i+1..n: j - i <= 2}: x[i,j] <= x[i,i] + x[j,j];
c2 {i in 1..n}: sum {j in 1..n: j <> i} x[min(i,j), max(i,j)] = 1;
c3 {k in 1..n, j in 1..n: k <> j and k*j = 4}: x[min(k,j), max(k,j)] >= 0.1;
c4 {(i,j) in LINK: i < j}: x[i,j] - sum {k in i..j} x[k,k] <= 0;
c5 {i in 1..n: sum {j in i..n} a[i,j] > 80}: x[i,n] <= 5;
c6 {i in {j in 1..n: j mod 2 = 0}}: x[i,i] >= -i;
