set T {i in 1..2} := 1..i;
var x {1..2};
c: sum {i in T[3]} x[i] <= 1;
