param p <> 0 := 0;
var x >= p;
