param p {1..3};
var x;
c: p[1]*x <= 1;
data;
param p := 1 1  2 2  3 3  4 4;
