# hs104.mod - problem 104 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# Optimal reactor design: fractional powers of positive variables. Solution f = 3.9511634396.

var x{1..8} >= 0.1, <= 10;

var value = 0.4*(x[1]/x[7])^0.67 + 0.4*(x[2]/x[8])^0.67 + 10 - x[1] - x[2];

minimize f: value;

subject to g1: 0.0588*x[5]*x[7] + 0.1*x[1] <= 1;
subject to g2: 0.0588*x[6]*x[8] + 0.1*x[1] + 0.1*x[2] <= 1;
subject to g3: 4*x[3]/x[5] + 2*x[3]^(-0.71)/x[5] + 0.0588*x[3]^(-1.3)*x[7] <= 1;
subject to g4: 4*x[4]/x[6] + 2*x[4]^(-0.71)/x[6] + 0.0588*x[4]^(-1.3)*x[8] <= 1;
subject to g5: 1 <= value <= 4.2;

data;

var x := 1 6  2 3  3 0.4  4 0.2  5 6  6 6  7 1  8 0.5;
