param p := 3;
var x >= p;
data;
param p := 4;
