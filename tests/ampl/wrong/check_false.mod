param n := 3;
check: n > 5;
var x;
