# vars_defined.mod - defined variables: indexed, by condition, in terms of each other, used in rows and objective, and one that nobody uses.
param N := 3;
param h := 1/N;
var u {0..N-1} >= -2, <= 2;
var s {k in 0..N} = if k = 0 then 1 else s[k-1] + h*u[k-1];
var cost {k in 0..N-1} = (s[k]^2 + u[k]^2) * h;
var total = sum {k in 0..N-1} cost[k];
var sharp {k in 0..N: k mod 2 = 1} = exp(s[k]);
var unused = u[0]*u[1];
minimize f: total + 10*s[N]^2;
safe {k in 1..N}: s[k] >= 0.2;
mild {k in 0..N: k mod 2 = 1}: sharp[k] <= 4;
