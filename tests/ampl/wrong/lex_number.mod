param a := 3x;
var x >= a;
