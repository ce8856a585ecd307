param lo {1..2};
param hi {i in 1..2} >= lo[i];
var x {i in 1..2} <= hi[i];
data;
param: lo hi := 1 0 1  2 3 2;
