# hs65.mod - problem 65 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# A ball cut by a box. Solution (3.6504617, 3.6504617, 4.6204171), f = 0.9535288567.

param reach{i in 1..3} := if i < 3 then 4.5 else 5;

var x{i in 1..3} >= -reach[i], <= reach[i];

minimize f: (x[1] - x[2])^2 + (x[1] + x[2] - 10)^2/9 + (x[3] - 5)^2;

subject to ball: sum{i in 1..3} x[i]^2 <= 48;

data;

var x := 1 -5  2 5  3 0;
