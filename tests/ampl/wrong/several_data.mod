param p;
var x;
data;
param q := 1;
param p := abc;
set T := 1;
