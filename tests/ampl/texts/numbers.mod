# numbers.mod - the small print: 1e-3, .5, 5., 5.0d-1, 1D2, 1E+2, Infinity, -Infinity, comments of both kinds, empty statements.
# linear
param a := 1e-3;   param b := .5;  param c := 5.;
param d := 5.0d-1; /* Fortran's way */ param e := 1D2;
param g := 1E+2;
param big := Infinity;
var x >= -Infinity, <= 1e2 := 5.0d-1;
var y >= .5d0, <= big;
var z >= -big, <= Infinity;   # free: no row
;
minimize /* a comment
   over lines; with a ';' and a # in it */ f: a*x + b*y - c*z;
c1: d*x + e*y <= g;           # c0: x <= 1;
c2: -1.5e+1*x + 0.25E-0*z >= -1d+1;
