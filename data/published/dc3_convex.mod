# dc3_convex.mod - DC3's convex programmes: a quadratic under 50 equations and 50 linear inequalities.
#
# P. L. Donti, D. Rolnick, J. Z. Kolter, "DC3: A learning method for optimization with hard constraints" (ICLR 2021). The data come
# from scripts/task_data.py, which draws the published numbers: give the .dat file behind this one. y = A^+ x is always
# feasible, because h holds the row sums of |G A^+| and |x| <= 1.

param n := 100;
param m := 50;
param q{1..n} >= 0;  param p{1..n};                     # Q = diag q
param A{1..m, 1..n};
param G{1..m, 1..n};  param h{1..m};

param x{1..m} >= -1, <= 1;                              # the network's input

var y{1..n} := 0;

minimize f: sum{j in 1..n} (0.5*q[j]*y[j]^2 + p[j]*y[j]);

subject to equation {i in 1..m}: sum{j in 1..n} A[i,j]*y[j] = x[i];
subject to limit {i in 1..m}: sum{j in 1..n} G[i,j]*y[j] <= h[i];
