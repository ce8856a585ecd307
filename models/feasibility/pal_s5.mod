# pal_s5.mod - S5 of the PAL suite ("Only Project Once", 2026): five equations for four unknowns that have a solution.
#
# The right-hand sides are those of y* = (c0 cos p1, c0 sin p1, c1 cos p2, c1 sin p2), which is the optimum, f = 0.
# There are more rows than columns, so that J J' is always singular. P is symmetric with eigenvalues from 1 to 3
# (scripts/generate_models.py).

param pi := 4*atan(1);
param c{0..4} >= 0.5, <= 1.5;                           # the network's input

param P{0..3, 0..3};
param p1 := pi*c[2];
param p2 := pi*c[3] + pi*c[4]/2;
param y_best{i in 0..3} :=
    if i = 0 then c[0]*cos(p1) else if i = 1 then c[0]*sin(p1) else if i = 2 then c[1]*cos(p2) else c[1]*sin(p2);

var y{0..3} >= -2, <= 2, := 1;

minimize f: 0.5*sum{i in 0..3, j in 0..3} P[i,j]*(y[i] - y_best[i])*(y[j] - y_best[j]);

subject to circle0: y[0]^2 + y[1]^2 = c[0]^2;
subject to circle1: y[2]^2 + y[3]^2 = c[1]^2;
subject to product0: y[0]*y[2] = y_best[0]*y_best[2];
subject to product1: y[1]*y[3] = y_best[1]*y_best[3];
subject to cross_product: y[0]*y[3] - y[1]*y[2] = y_best[0]*y_best[3] - y_best[1]*y_best[2];

data pal_s5.dat;
