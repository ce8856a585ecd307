param a;
param b := 2*a;
set S := {b};
var x {S};
