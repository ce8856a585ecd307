param p := 3;
var x >= p;
fix p;
