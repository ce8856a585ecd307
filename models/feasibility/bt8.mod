# bt8.mod - problem 8 of P. T. Boggs and J. W. Tolle, "A strategy for global convergence in a sequential quadratic
# programming algorithm", SIAM Journal on Numerical Analysis 26 (1989); BT8 of the CUTEst collection.
#
# Squares in place of slacks: J loses rank at the solution (1, 0, 0, 0, 0), f = 1.

var x{1..5};

minimize f: x[1]^2 + x[2]^2 + x[3]^2;

subject to g1: x[1] - 1 - x[4]^2 + x[2]^2 = 0;
subject to g2: x[1]^2 + x[2]^2 - x[5]^2 - 1 = 0;

data;

var x := 1 1  2 1  3 1  4 0  5 0;
