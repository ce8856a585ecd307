param u;
param v := Uniform(0, u);
var x >= v;
