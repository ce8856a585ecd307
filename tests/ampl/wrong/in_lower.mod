param n integer >= 1;
var x;
c: x >= n;
