# creep_integrator.mod - from rest at 0 to rest at 1 in 150 periods, with little more force than that takes.
#
# Half of the way forward, half of the way back: with n = 150 a force of 4/(n - 1)^2 = 1.802e-4 is enough, 1.9e-4 are there.

param n := 150;
param most := 1.9e-4;

var p{0..n} := 0;

subject to begin: p[0] = 0;
subject to rest: p[1] = 0;
subject to end: p[n] = 1;
subject to still: p[n-1] = 1;
subject to force {k in 1..n-1}: -most <= p[k+1] - 2*p[k] + p[k-1] <= most;
