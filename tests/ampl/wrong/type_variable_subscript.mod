var x {1..2};
var y;
c: x[y] <= 1;
