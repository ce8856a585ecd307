var y;
var x = 2*y, >= 1;
