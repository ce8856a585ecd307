var y;
c: y >= 1;
var x coeff c 3;
