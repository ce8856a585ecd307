param n := 2;
var x;
c {i in 1..3}: x/(i - n) <= 1;
