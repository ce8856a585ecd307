# hs106.mod - problem 106 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# Heat exchanger design: coefficients from 1e-3 to 1e6, so that an absolute tolerance means little.
# Solution f = 7049.330923.

param lower{i in 1..8} := if i = 1 then 100 else if i <= 3 then 1000 else 10;
param upper{i in 1..8} := if i <= 3 then 10000 else 1000;

var x{i in 1..8} >= lower[i], <= upper[i];

minimize f: x[1] + x[2] + x[3];

subject to g1: 1 >= 0.0025*(x[4] + x[6]);
subject to g2: 1 >= 0.0025*(x[5] + x[7] - x[4]);
subject to g3: 1 >= 0.01*(x[8] - x[5]);
subject to g4: x[1]*x[6] - 833.33252*x[4] - 100*x[1] + 83333.333 >= 0;
subject to g5: x[2]*x[7] - 1250*x[5] - x[2]*x[4] + 1250*x[4] >= 0;
subject to g6: x[3]*x[8] - 1250000 - x[3]*x[5] + 2500*x[5] >= 0;

data;

var x := 1 5000  2 5000  3 5000  4 200  5 350  6 150  7 225  8 425;
