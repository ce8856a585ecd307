# numbers.mod - with numbers in C's way.
param a := 1e-3;   param b := .5;  param c := 5.;
param d := 5.0e-1; /* Fortran's way */ param e := 1E2;
param g := 1E+2;
var x <= 1e2;
var y >= .5;
var z;   # free: no row
minimize /* a comment
   over lines; with a ';' and a # in it */ f: a*x + b*y - c*z;
c1: d*x + e*y <= g;           # c0: x <= 1;
c2: -1.5e+1*x + 0.25E-0*z >= -1e+1;
end;
