param lo {i in 1..2} := 2*i;
var x {i in 1..2} >= lo[i], <= 3;
