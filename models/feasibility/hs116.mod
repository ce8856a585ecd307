# hs116.mod - problem 116 of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes", Springer 1981.
#
# A three-stage membrane separation, the hardest of the collection to make feasible from its start.
# Solution f = 97.588409.

param lower{1..13};
param upper{1..13};
param start{1..13};

var x{i in 1..13} >= lower[i], <= upper[i], := start[i];

var total = x[11] + x[12] + x[13];

minimize f: total;

subject to g1:  x[3] >= x[2];
subject to g2:  x[2] >= x[1];
subject to g3:  1 >= 0.002*x[7] - 0.002*x[8];
subject to g4:  50 <= total <= 250;
subject to g5:  x[13] >= 1.262626*x[10] - 1.231059*x[3]*x[10];
subject to g6:  x[5] >= 0.03475*x[2] + 0.975*x[2]*x[5] - 0.00975*x[2]^2;
subject to g7:  x[6] >= 0.03475*x[3] + 0.975*x[3]*x[6] - 0.00975*x[3]^2;
subject to g8:  x[5]*x[7] - x[1]*x[8] - x[4]*x[7] + x[4]*x[8] >= 0;
subject to g9:  1 - 0.002*(x[2]*x[9] + x[5]*x[8] - x[1]*x[8] - x[6]*x[9]) - x[5] - x[6] >= 0;
subject to g10: x[2]*x[9] - x[3]*x[10] - x[6]*x[9] - 500*x[2] + 500*x[6] + x[2]*x[10] >= 0;
subject to g11: x[2] - 0.9 - 0.002*(x[2]*x[10] - x[3]*x[10]) >= 0;
subject to g12: x[4] >= 0.03475*x[1] + 0.975*x[1]*x[4] - 0.00975*x[1]^2;
subject to g13: x[11] >= 1.262626*x[8] - 1.231059*x[1]*x[8];
subject to g14: x[12] >= 1.262626*x[9] - 1.231059*x[2]*x[9];

data;

param:    lower   upper  start :=
     1    0.1        1     0.5
     2    0.1        1     0.8
     3    0.1        1     0.9
     4    0.0001     0.1   0.1
     5    0.1        0.9   0.14
     6    0.1        0.9   0.5
     7    0.1     1000   489
     8    0.1     1000    80
     9  500       1000   650
    10    0.1      500   450
    11    1        150   150
    12    0.0001   150   150
    13    0.0001   150   150;
