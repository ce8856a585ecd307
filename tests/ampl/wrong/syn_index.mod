param n := 3;
var x {i 1..n};
