# fsnet_socp.mod - the nonconvex second-order cone program of FSNet (MOSSLab-MIT/FSNet, NeurIPS 2025).
#
# Data: numpy's legacy generator with seed 2025, in the published order, bit for bit (scripts/generate_models.py, which
# verifies the published check values). Of the drawn X only the range remains: x is the network's input.
#
#   min  y'Qy/2 + p'sin y    s.t.  A y = x,   |G_i cos y + h_i| <= C_i y + d_i (2-norm),   |y| <= 5
#
# The published problem has 50 cones, a quarter of a million numbers; the file that ships holds its first 10.
# `scripts/generate_models.py --full` writes all of them.

param n := 100;
param m := 50;
param cones;
param q{1..n};  param p{1..n};                          # Q = diag q
param A{1..m, 1..n};
param G{1..cones, 1..50, 1..n};  param h{1..cones, 1..50};
param C{1..cones, 1..n};  param d{1..cones};

param x{1..m} >= -1, <= 1;

var y{1..n} >= -5, <= 5, := 1;
var cosine{j in 1..n} = cos(y[j]);

minimize f: sum{j in 1..n} (0.5*q[j]*y[j]^2 + p[j]*sin(y[j]));

subject to equation {i in 1..m}: sum{j in 1..n} A[i,j]*y[j] = x[i];
subject to cone {i in 1..cones}:
    sqrt(sum{k in 1..50} (sum{j in 1..n} G[i,k,j]*cosine[j] + h[i,k])^2) - sum{j in 1..n} C[i,j]*y[j] <= d[i];

data fsnet.dat;
data fsnet_socp.dat;
