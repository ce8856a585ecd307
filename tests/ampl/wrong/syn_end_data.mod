param p;
var x >= p;
data;
param p := 3
