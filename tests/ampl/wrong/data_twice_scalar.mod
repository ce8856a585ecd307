param p;
var x;
c: x <= p;
data;
param p := 5;
param p := 6;
