param a := 1e+;
var x >= a;
