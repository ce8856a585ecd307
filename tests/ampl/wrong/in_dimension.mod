param a;
param p {1..a};
var x;
