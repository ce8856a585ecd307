# override.mod - read with --let N=4 --let who=b --let load=2.5: the caller's values count, whatever the text says.
param N := 2;
param M := N^2;
param who symbolic default 'a';
param load;                        # would be a network input
param kept := 3;
var x {1..N} >= 0;
minimize f: sum {i in 1..N} i*x[i]^2;
c1: sum {i in 1..N} x[i] <= M;
c2: x[1] >= if who = 'b' then load else kept;
let N := 3;
data;
param who := c;
