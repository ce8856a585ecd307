# hs111.mod - problem 111 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# Chemical equilibrium in logarithms of the amounts. Solution f = -47.76109026.

param c{1..10};

var x{1..10} >= -100, <= 100, := -2.3;

minimize f: sum{j in 1..10} exp(x[j])*(c[j] + x[j] - log(sum{k in 1..10} exp(x[k])));

subject to g1: exp(x[1]) + 2*exp(x[2]) + 2*exp(x[3]) + exp(x[6]) + exp(x[10]) = 2;
subject to g2: exp(x[4]) + 2*exp(x[5]) + exp(x[6]) + exp(x[7]) = 1;
subject to g3: exp(x[3]) + exp(x[7]) + exp(x[8]) + 2*exp(x[9]) + exp(x[10]) = 1;

data;

param c := 1 -6.089  2 -17.164  3 -34.054  4 -5.914  5 -24.721
           6 -14.986  7 -24.100  8 -10.708  9 -26.662  10 -22.179;
