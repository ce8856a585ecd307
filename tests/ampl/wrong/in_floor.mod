param a;
var x;
c: x <= floor(a);
