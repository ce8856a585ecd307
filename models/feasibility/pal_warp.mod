# pal_warp.mod - the curvature warp of the PAL suite ("Only Project Once", 2026): one equation as curved as one likes.
#
# g(y) = a'y - sin(w b'y) = 0 with a, b orthonormal and w = sqrt(kappa); kappa is 0, 1, 10, ..., 1e6
# (`--let kappa=1e4`). With T(v) = v + a sin(w b'v) the objective is |T^-1(y) - T^-1(x)|^2, where T^-1(y) =
# y - a sin(w b'y); its optimum is y = x - g(x) a with f = g(x)^2. It starts at x. a and b come from
# scripts/generate_models.py.

param kappa := 1e6;
param w := sqrt(kappa);
param x{0..7} >= -1.5, <= 1.5;                          # the network's input

param a{0..7};
param b{0..7};
param sine_x := sin(w*sum{i in 0..7} b[i]*x[i]);

var y{i in 0..7} >= -4, <= 4, := x[i];

var sine = sin(w*sum{i in 0..7} b[i]*y[i]);

minimize f: sum{i in 0..7} (y[i] - a[i]*sine - (x[i] - a[i]*sine_x))^2;

subject to warp: sum{i in 0..7} a[i]*y[i] - sine = 0;

data pal_warp.dat;
