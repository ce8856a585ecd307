# fsnet_qp.mod - the nonconvex quadratic program of FSNet (MOSSLab-MIT/FSNet, NeurIPS 2025).
#
# Data: numpy's legacy generator with seed 2025, in the published order, bit for bit (scripts/generate_models.py, which
# verifies the published check values). Of the drawn X only the range remains: x is the network's input.
#
#   min  y'Qy/2 + p'sin y    s.t.  A y = x,   G sin y <= h cos x (elementwise),   |y| <= 5

param n := 100;
param m := 50;
param q{1..n};  param p{1..n};                          # Q = diag q
param A{1..m, 1..n};
param G{1..m, 1..n};  param h{1..m};                    # h = row sums of |G A^+|

param x{1..m} >= -1, <= 1;

var y{1..n} >= -5, <= 5, := 1;

minimize f: sum{j in 1..n} (0.5*q[j]*y[j]^2 + p[j]*sin(y[j]));

subject to equation {i in 1..m}: sum{j in 1..n} A[i,j]*y[j] = x[i];
subject to limit {i in 1..m}: sum{j in 1..n} G[i,j]*sin(y[j]) <= h[i]*cos(x[i]);

data fsnet.dat;
data fsnet_linear.dat;
