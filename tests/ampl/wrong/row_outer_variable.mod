var x;
var y;
c: 1 <= x <= y;
