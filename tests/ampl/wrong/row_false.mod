param n := 3;
var x;
c: n <= 2;
