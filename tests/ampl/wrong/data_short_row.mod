param p {1..2, 1..2};
var x;
c: x <= p[1,1];
data;
param p: 1 2 := 1 3 4  2 5;
