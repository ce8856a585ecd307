# hs101.mod - problem 101 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# Posynomials with fractional powers: outside x > 0 they have no value, and the start is infeasible. The book also
# asks 100 <= f; like the CUTEst collection this file does not. Problems 101, 102 and 103 differ in the power a alone.
# Solution f = 1809.76476.

param a := -0.25;

var x{i in 1..7} >= (if i = 7 then 0.01 else 0.1), <= 10, := 6;

var value =
    10*x[1]*x[2]^(-1)*x[4]^2*x[6]^(-3)*x[7]^a + 15*x[1]^(-1)*x[2]^(-2)*x[3]*x[4]*x[5]^(-1)*x[7]^(-0.5)
  + 20*x[1]^(-2)*x[2]*x[4]^(-1)*x[5]^(-2)*x[6] + 25*x[1]^2*x[2]^2*x[3]^(-1)*x[5]^0.5*x[6]^(-2)*x[7];

minimize f: value;

subject to g1:
    0.5*x[1]^0.5*x[3]^(-1)*x[6]^(-2)*x[7] + 0.7*x[1]^3*x[2]*x[3]^(-2)*x[6]*x[7]^0.5
  + 0.2*x[2]^(-1)*x[3]*x[4]^(-0.5)*x[6]^(2/3)*x[7]^0.25 <= 1;

subject to g2:
    1.3*x[1]^(-0.5)*x[2]*x[3]^(-1)*x[5]^(-1)*x[6] + 0.8*x[3]*x[4]^(-1)*x[5]^(-1)*x[6]^2
  + 3.1*x[1]^(-1)*x[2]^0.5*x[4]^(-2)*x[5]^(-1)*x[6]^(1/3) <= 1;

subject to g3:
    2*x[1]*x[3]^(-1.5)*x[5]*x[6]^(-1)*x[7]^(1/3) + 0.1*x[2]*x[3]^(-0.5)*x[5]*x[6]^(-1)*x[7]^(-0.5)
  + x[1]^(-1)*x[2]*x[3]^0.5*x[5] + 0.65*x[2]^(-2)*x[3]*x[5]*x[6]^(-1)*x[7] <= 1;

subject to g4:
    0.2*x[1]^(-2)*x[2]*x[4]^(-1)*x[5]^0.5*x[7]^(1/3) + 0.3*x[1]^0.5*x[2]^2*x[3]*x[4]^(1/3)*x[5]^(-2/3)*x[7]^0.25
  + 0.4*x[1]^(-3)*x[2]^(-2)*x[3]*x[5]*x[7]^0.75 + 0.5*x[3]^(-2)*x[4]*x[7]^0.5 <= 1;

subject to g5: value <= 3000;
