param n > 5 := 3;
var x;
c: x <= n;
