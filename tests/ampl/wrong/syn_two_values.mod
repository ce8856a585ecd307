param p := 1 := 2;
var x >= p;
