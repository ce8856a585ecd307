# drops.mod - drop, restore and objective, whole declarations and single rows.
# linear
param n := 4;
var x {1..n} >= 0, <= 3;
minimize first: x[1] + x[2];
maximize second {i in 1..2}: i*x[1] - x[3];
minimize third: x[4];
a {i in 1..n}: x[i] <= i;
b: sum {i in 1..n} x[i] >= 2;
c {i in 1..n-1}: x[i] + x[i+1] <= 4;
e: x[1] = x[2];
objective second[2];
drop {i in 1..n: i <> 3} a[i], e;
restore a[1];
drop b;
drop c;
restore {i in 2..2} c[i];
restore b;
