# pal_s4.mod - S4 of the PAL suite ("Only Project Once", 2026): linear equations, sines of their solution, and a ball.
#
# With u* = A^+ At c and v* = sin u* + B c the point (u*, v*) is feasible and the optimum, f = 0. A has unit rows, At
# and B are normal numbers times 0.5 and 0.3, W is symmetric with eigenvalues from 1 to 5, K = A^+ At
# (scripts/generate_models.py).

param c{0..4} >= 0.5, <= 1.5;                           # the network's input

param A{0..9, 0..14};
param At{0..9, 0..4};
param B{0..14, 0..4};
param K{0..14, 0..4};
param W{0..14, 0..14};

param v_best{i in 0..14} := sin(sum{k in 0..4} K[i,k]*c[k]) + sum{k in 0..4} B[i,k]*c[k];

var u{0..14} >= -5, <= 5, := 0;
var v{0..14} >= -5, <= 5, := 0;

minimize f: 0.5*sum{i in 0..14, j in 0..14} W[i,j]*(v[i] - v_best[i])*(v[j] - v_best[j]);

subject to linear {i in 0..9}: sum{j in 0..14} A[i,j]*u[j] = sum{k in 0..4} At[i,k]*c[k];
subject to sine {i in 0..14}: v[i] - sin(u[i]) = sum{k in 0..4} B[i,k]*c[k];
subject to ball: sum{i in 0..14} v[i]^2 <= 1 + sum{i in 0..14} v_best[i]^2;

data pal_s4.dat;
