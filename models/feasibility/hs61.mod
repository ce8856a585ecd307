# hs61.mod - problem 61 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# The start is a trap: at x2 = x3 = 0 the derivatives to x2 and x3 vanish, so steps move x1 alone and end where the two
# violations balance, infeasible. Feasible is e.g. x1 = 4. Solution (5.3267, -2.1190, 3.2105), f = -143.646142.

var x{1..3} := 0;

minimize f: 4*x[1]^2 + 2*x[2]^2 + 2*x[3]^2 - 33*x[1] + 16*x[2] - 24*x[3];

subject to parabola2: 3*x[1] - 2*x[2]^2 - 7 = 0;
subject to parabola3: 4*x[1] - x[3]^2 - 11 = 0;
