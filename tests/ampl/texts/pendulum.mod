# pendulum.mod - swing-up by the implicit midpoint rule: ranges 0..N and 0..N-1, boundary rows, a product of variables with the time step.
param N := 4;
param pi := 4*atan(1);
param g := 9.81;  param l := 0.5;
var th {0..N} := pi;
var om {0..N};
var tau {0..N-1} >= -5, <= 5;
var T >= 0.5, <= 4 := 1;
minimize effort: T/N * sum {k in 0..N-1} tau[k]^2;
kin {k in 0..N-1}: th[k+1] - th[k] = T/N * (om[k+1] + om[k])/2;
dyn {k in 0..N-1}: om[k+1] - om[k] = T/N * (tau[k] - g/l*sin((th[k] + th[k+1])/2));
start1: th[0] = pi;
start2: om[0] = 0;
final1: cos(th[N]) = 1;
final2: om[N] = 0;
