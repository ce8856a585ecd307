# pal_s6.mod - S6 of the PAL suite ("Only Project Once", 2026): seventy-five half-spaces, fifty of them nearly copies.
#
# The target t is feasible and the optimum, f = 0. a[0..24,*] are unit vectors, a[25..74,*] copies of randomly chosen
# ones among them plus 1e-4 times normal numbers (scripts/generate_models.py).

param c{0..19} >= 0.5, <= 1.5;                          # the network's input

param a{0..74, 0..49};
param t{i in 0..49} := c[i mod 20];

var y{0..49} >= 0.3, <= 1.7, := 1;

minimize f: 0.5*sum{i in 15..49} (y[i] - t[i])^2;

subject to link {i in 0..14}: y[i] - 0.5*y[i+15] = t[i] - 0.5*t[i+15];
subject to half_space {j in 0..74}: sum{i in 0..49} a[j,i]*y[i] <= sum{i in 0..49} a[j,i]*t[i] + 0.2;

data pal_s6.dat;
