param p in 1..3 := 7;
var x >= p;
