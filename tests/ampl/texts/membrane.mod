# membrane.mod - a membrane over an obstacle on a grid: a boundary that is fixed by a condition, bounds by a function of the indices.
param nx := 3;  param ny := 2;
param hx := 1/(nx+1);  param hy := 1/(ny+1);
set INNER := {i in 1..nx, j in 1..ny};
var v {i in 0..nx+1, j in 0..ny+1} >= sin(3.2*i*hx)*sin(3.3*j*hy) - 2, := (i*hx)^2 + (j*hy)^2;
fix {i in 0..nx+1, j in 0..ny+1: (i,j) not in INNER} v[i,j] := 1 + (i*hx)^2 - j*hy;
minimize area: sum {i in 0..nx, j in 0..ny} hx*hy/2 *
   (1 + ((v[i+1,j] - v[i,j])/hx)^2 + ((v[i,j+1] - v[i,j])/hy)^2) ^ 0.5;
load {(i,j) in INNER}:
   -0.5 <= (2*v[i,j] - v[i+1,j] - v[i-1,j])/hx^2 + (2*v[i,j] - v[i,j+1] - v[i,j-1])/hy^2 <= 20;
