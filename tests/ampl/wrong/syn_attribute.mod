param p positive := 1;
var x >= p;
