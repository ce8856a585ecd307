param a {i in 1..3} := i^2;
var x;
check {i in 1..3}: a[i] <> 4;
