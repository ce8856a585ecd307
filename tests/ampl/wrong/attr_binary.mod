param p binary := 2;
var x >= p;
