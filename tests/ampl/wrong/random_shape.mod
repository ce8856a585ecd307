var x;
var y >= Gamma(0);
