param a {1..3};
var x {i in 1..3} >= a[i];
data;
param a := 1 1  3 3;
