param n integer;
var x {1..n};
