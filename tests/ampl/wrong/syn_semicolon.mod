var x
var y;
c: x + y <= 1;
