# pal_s1.mod - S1 of the PAL suite ("Only Project Once", 2026): Rosenbrock's valley on a sphere.
#
# The optimum is y = (c/sqrt 2, c/sqrt 2, 0, 0) with f = 0. At y = 0 the sphere's derivative vanishes; hence the start.

param c >= 0.5, <= 2;                                   # the network's input: the radius

param s := c/sqrt(2) - 1;

var y{0..3} >= -2.5, <= 2.5, := 0.5;

minimize f: (1 - (y[0] - s))^2 + 100*(y[1] - s - (y[0] - s)^2)^2;

subject to sphere: sum{i in 0..3} y[i]^2 = c^2;
