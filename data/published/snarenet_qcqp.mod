# snarenet_qcqp.mod - SnareNet's convex programmes with quadratic constraints: 50 equations, 50 ellipsoids' insides.
#
# Y. Chu, T. Boukas, M. Udell, "SnareNet" (2026), its cvx_qcqp. The data come from scripts/task_data.py, which draws the
# published numbers: give the .dat file behind this one. h leaves room for y = A^+ x with every x of the box.

param n := 100;
param m := 50;
param q{1..n} >= 0;  param p{1..n};                     # Q = diag q
param A{1..m, 1..n};
param G{1..m, 1..n};  param h{1..m};
param H{1..m, 1..n} >= 0;                               # H_i = diag H[i,*]

param x{1..m} >= -0.5, <= 0.5;                          # the network's input

var y{1..n} := 0;

minimize f: sum{j in 1..n} (0.5*q[j]*y[j]^2 + p[j]*y[j]);

subject to equation {i in 1..m}: sum{j in 1..n} A[i,j]*y[j] = x[i];
subject to limit {i in 1..m}: sum{j in 1..n} (H[i,j]*y[j]^2 + G[i,j]*y[j]) <= h[i];
