# creep_bent.mod - a sequence from 1 to 1.2 whose logarithm bends down a little everywhere, with gentle slopes.
#
# A parabola through both ends that bends by 6e-4 is feasible: many curved rows, each of them pushing its neighbours.

param n := 100;

var r{0..n} >= 1, <= 2, := 1;

subject to left: r[0] = 1;
subject to right: r[n] = 1.2;
subject to bent {i in 1..n-1}: r[i]^2 - r[i-1]*r[i+1] >= 1e-3;
subject to gentle {i in 1..n}: -0.05 <= r[i] - r[i-1] <= 0.05;
