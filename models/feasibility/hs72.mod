# hs72.mod - problem 72 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# Optimal sample sizes: reciprocals of numbers that end up in the hundreds. Solution (193.4, 179.5, 185.0, 168.7),
# f = 727.67937.

var x{i in 1..4} >= 0.001, <= (5 - i)*1e5, := 1;

minimize f: 1 + sum{i in 1..4} x[i];

subject to first:  4/x[1] + 2.25/x[2] + 1/x[3] + 0.25/x[4] <= 0.0401;
subject to second: 0.16/x[1] + 0.36/x[2] + 0.64/x[3] + 0.64/x[4] <= 0.010085;
