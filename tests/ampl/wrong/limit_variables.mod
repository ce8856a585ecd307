param n := 1e9;
var x {1..n};
