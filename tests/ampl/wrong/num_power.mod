param a := -2;
var x;
c: x <= a^0.5;
