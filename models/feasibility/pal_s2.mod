# pal_s2.mod - S2 of the PAL suite ("Only Project Once", 2026): a chain of squares on a simplex.
#
# The optimum is y = (t, t^2, t^4, t^8, t^16, equal tail) with f = 0.

param c{0..1} >= -1, <= 1;                              # the network's input

param t := 0.4 + 0.05*c[0] + 0.02*c[1];

var y{0..9} >= 0, <= 1, := 0.5;

minimize f: (t - y[0])^2 + 10*sum{i in 0..3} (y[i+1] - y[i]^2)^2;

subject to total: sum{i in 0..9} y[i] = 1;
