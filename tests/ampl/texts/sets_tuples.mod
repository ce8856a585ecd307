# sets_tuples.mod - literal sets of tuples, dimen 3, dummies in parentheses, a tuple as a condition, a constant in a dummy's place.
set E := {(1,2), (2,3), (1,3), (3,1)};
set W dimen 3 := {(1,2,'a'), (2,3,'b'), (1,3,'a')};
param len {(i,j) in E} := abs(i - j);
var x {E} >= 0;
var y {W};
minimize f: sum {(i,j) in E} len[i,j]*x[i,j] + sum {(i,j,k) in W} y[i,j,k]^2;
a {(i,j) in E: (j,i) in E}: x[i,j] = x[j,i];
b {(i,j) in E, k in 1..3: (j,k) in E and k <> i}: x[i,j] + x[j,k] >= 1;
c {i in 1..3}: sum {(i,j) in E} x[i,j] <= 4;
d: sum {(1,j) in E} x[1,j] + sum {(i,3,k) in W} y[i,3,k] = 2;
e {(i,j,k) in W: k = 'a'}: y[i,j,k] <= x[i,j];
g {t in {3,1,2}}: sum {(t,j,'a') in W} y[t,j,'a'] >= -t;
