# hs73.mod - problem 73 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# Cattle feed: a mixture that carries enough fat and, with a probability, enough protein. Solution (0.6355, 0, 0.3127,
# 0.0518), f = 29.894378.

var x{1..4} >= 0, := 1;

minimize f: 24.55*x[1] + 26.75*x[2] + 39*x[3] + 40.50*x[4];

subject to fat: 2.3*x[1] + 5.6*x[2] + 11.1*x[3] + 1.3*x[4] >= 5;
subject to protein:
    12*x[1] + 11.9*x[2] + 41.8*x[3] + 52.1*x[4]
        >= 21 + 1.645*sqrt(0.28*x[1]^2 + 0.19*x[2]^2 + 20.5*x[3]^2 + 0.62*x[4]^2);
subject to mixture: sum{i in 1..4} x[i] = 1;
