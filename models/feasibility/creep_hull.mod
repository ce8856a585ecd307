# creep_hull.mod - shares of 40 points in 12 dimensions whose mean is that of six of them.
#
# Shares of 1/6 on points 5, 10 ... 30 are feasible. Where violated rows are met, shares below 0 are left, and the other way
# round: the two meet at a small angle.

param n := 40;
param d := 12;
param v{i in 1..n, k in 1..d} := sin(1.3*i*k + k^2);

var w{1..n} >= 0, := 1;

subject to one: sum{i in 1..n} w[i] = 1;
subject to meets {k in 1..d}: sum{i in 1..n} v[i,k]*w[i] = sum{i in 1..6} v[5*i,k]/6;
