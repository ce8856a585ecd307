# polygon.mod - in the manner of COPS: the largest polygon of diameter one in polar coordinates, pairs by a condition, an ordering.
param nv := 4;
param pi := 4*atan(1);
var rho {i in 1..nv} >= 0, <= 1;
var theta {i in 1..nv} >= 0, <= pi;
maximize area: 0.5*sum {i in 1..nv-1} rho[i+1]*rho[i]*sin(theta[i+1] - theta[i]);
s.t. cons1 {i in 1..nv, j in i+1..nv}:
   rho[i]^2 + rho[j]^2 - 2*rho[i]*rho[j]*cos(theta[j] - theta[i]) <= 1;
s.t. cons2 {i in 1..nv-1}: theta[i] <= theta[i+1];
fix theta[nv] := pi;
fix rho[nv] := 0;
let {i in 1..nv-1} rho[i] := 4*i*(nv + 1 - i)/(nv+1)^2;
let {i in 1..nv-1} theta[i] := pi*i/nv;
