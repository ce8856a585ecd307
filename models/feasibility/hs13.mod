# hs13.mod - problem 13 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# A cusp: at the solution (1, 0), f = 1, the gradients of the active rows are parallel (no constraint qualification).

var x{1..2} >= 0, := -2;

minimize f: (x[1] - 2)^2 + x[2]^2;

subject to cusp: (1 - x[1])^3 - x[2] >= 0;
