# hs19.mod - problem 19 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# A thin sickle between two circles, far from the start. Solution (14.095, 0.84296), f = -6961.81381.

var x1 >= 13, <= 100, := 20.1;
var x2 >= 0, <= 100, := 5.84;

minimize f: (x1 - 10)^3 + (x2 - 20)^3;

subject to outside: (x1 - 5)^2 + (x2 - 5)^2 >= 100;
subject to inside: (x1 - 6)^2 + (x2 - 5)^2 <= 82.81;
