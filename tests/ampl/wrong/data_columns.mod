set S;
param p {S, 1..2};
var x {S};
data;
param: S: p := a 2;
