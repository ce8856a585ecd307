# pal_s3.mod - S3 of the PAL suite ("Only Project Once", 2026): nearly parallel rows and a ball that shrinks with c.
#
# The target t is feasible and the optimum, f = 0: it satisfies the equality, lies on the ball's boundary and 0.2 inside
# the half-spaces. The suite draws c as 0.1*10^U(0,1); a sampler of this file draws it evenly from the same interval.
# a[0,*] is a unit vector, a[1..4,*] are unit vectors within about 1e-3 of it (scripts/generate_models.py).

param c >= 0.1, <= 1;                                   # the network's input

param a{0..4, 0..19};
param t{i in 0..19} := if i < 10 then c else c^2/sqrt(10);

var y{0..19} >= -1.5, <= 1.5, := 0;

minimize f: 0.5*sum{i in 0..9} c^(2*i/9)*(y[i] - t[i])^2;

subject to plane: sum{j in 0..19} a[0,j]*y[j] = sum{j in 0..19} a[0,j]*t[j];
subject to ball: sum{j in 10..19} y[j]^2 <= c^4;
subject to half_space {i in 1..4}: sum{j in 0..19} a[i,j]*y[j] <= sum{j in 0..19} a[i,j]*t[j] + 0.2;

data pal_s3.dat;
