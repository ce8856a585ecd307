# inputs_check.mod - the box of an input from its attributes, and check statements: on inputs conditions, on data facts.
param lo {1..2};
param hi {i in 1..2} := lo[i] + 4;
param z {i in 1..2} >= lo[i], <= hi[i];
param t > 0, < 1;
param s <= 9;
check: z[1] + z[2] <= 5;
check {i in 1..2}: z[i]^2 >= t and s <> z[i];
check: lo[1] <= lo[2];
check: abs(s) < 100 or t < 0.5;
var x {1..2};
c {i in 1..2}: x[i] >= z[i]*t;
data;
param lo := 1 -2  2 1;
