# hs64.mod - problem 64 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# Reciprocals: a step too far crosses a pole. Solution (108.73, 85.126, 204.32), f = 6299.842428.

var x{1..3} >= 1e-5, := 1;

minimize f: 5*x[1] + 50000/x[1] + 20*x[2] + 72000/x[2] + 10*x[3] + 144000/x[3];

subject to load: 4/x[1] + 32/x[2] + 120/x[3] <= 1;
