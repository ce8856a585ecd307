param p {1..2};
var x;
c: x <= p[1];
data;
param p := 1 5  2 6  1 7;
