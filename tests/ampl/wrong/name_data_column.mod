set S;
param p {S};
var x {S};
data;
param: S: p q := a 1 2;
