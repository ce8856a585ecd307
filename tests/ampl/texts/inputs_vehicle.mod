# inputs_vehicle.mod - a small vehicle with its state as input: dynamics by stages, a conditional first stage, an obstacle, atan2 in the cost.
param N := 3;  param dt := 0.2;
param z0 {1..3} >= -3, <= 3;
param goal {1..2};
var z {1..N, 1..3};
var u {0..N-1, 1..2} >= -1, <= 1;
var old {k in 1..N, i in 1..3} = if k = 1 then z0[i] else z[k-1,i];
subject to dynamics {k in 1..N, i in 1..3}:
   z[k,i] = old[k,i] + dt * (if i = 1 then u[k-1,1]*cos(old[k,3])
                             else if i = 2 then u[k-1,1]*sin(old[k,3])
                             else u[k-1,2]);
subject to obstacle {k in 1..N}: z[k,1]^2 + 2*z[k,2]^2 >= 1;
minimize cost: sum {k in 1..N} (sum {i in 1..2} (z[k,i] - goal[i])^2 + atan2(sin(z[k,3]), cos(z[k,3]))^2)
   + 0.1 * sum {k in 0..N-1, j in 1..2} u[k,j]^2;
data;
param goal := 1 0  2 0;
