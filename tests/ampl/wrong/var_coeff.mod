var y;
c: y >= 1;
var x coeff y 3;
