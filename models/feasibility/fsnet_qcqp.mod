# fsnet_qcqp.mod - the nonconvex quadratically constrained program of FSNet (MOSSLab-MIT/FSNet, NeurIPS 2025).
#
# Data: numpy's legacy generator with seed 2025, in the published order, bit for bit (scripts/generate_models.py, which
# verifies the published check values). Of the drawn X only the range remains: x is the network's input.
#
#   min  y'Qy/2 + p'sin y    s.t.  A y = x,   y'H_i y/2 + G_i cos y <= h_i,   |y| <= 5

param n := 100;
param m := 50;
param q{1..n};  param p{1..n};                          # Q = diag q
param A{1..m, 1..n};
param G{1..m, 1..n};  param h{1..m};                    # h = row sums of |G A^+|
param H{1..m, 1..n};                                    # H_i = diag H[i,*]

param x{1..m} >= -1, <= 1;

var y{1..n} >= -5, <= 5, := 1;

minimize f: sum{j in 1..n} (0.5*q[j]*y[j]^2 + p[j]*sin(y[j]));

subject to equation {i in 1..m}: sum{j in 1..n} A[i,j]*y[j] = x[i];
subject to limit {i in 1..m}: sum{j in 1..n} (0.5*H[i,j]*y[j]^2 + G[i,j]*cos(y[j])) <= h[i];

data fsnet.dat;
data fsnet_linear.dat;
data fsnet_quadratic.dat;
