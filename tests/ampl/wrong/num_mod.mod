param n := 0;
var x {i in 1..3: i mod n = 0};
