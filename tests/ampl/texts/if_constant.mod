# if_constant.mod - a condition on indices expands the chosen branch only: what stands in the other may be outside its set.
param N := 4;
param h := 0.25;
param z0 {i in 1..2} := i;
var z {1..N, 1..2};
var u {0..N-1} >= -1, <= 1;
minimize f: sum {k in 1..N} z[k,1]^2 + sum {k in 0..N-1} u[k]^2;
rate {k in 1..N}: z[k,1] = (if k = 1 then z0[1] else z[k-1,1]) + h * (if k = 1 then z0[2] else z[k-1,2]);
push {k in 1..N}: z[k,2] = (if k > 1 then z[k-1,2] else z0[2]) + h * u[k-1];
ends {k in {1, N}}: z[k,1] <= if k = N then 1 else if k = 1 then 3 else z[k+9,1];
jump {k in 1..N}: z[k,2] - (if k < N then z[k+1,2]) <= 2;
