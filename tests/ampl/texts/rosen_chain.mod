# rosen_chain.mod - in the manner of the CUTE collection: a chained banana function, starts by parity, rows that couple neighbours.
param N := 6;
param alpha := 100;
var x {i in 1..N} := if i mod 2 = 1 then -1.2 else 1.0;
minimize f: sum {i in 1..N-1} (alpha*(x[i+1] - x[i]^2)^2 + (1 - x[i])^2);
s.t. cons1 {k in 1..N-2}:
	3*x[k+1]^3 + 2*x[k+2] - 5 + sin(x[k+1] - x[k+2])*sin(x[k+1] + x[k+2])
	+ 4*x[k+1] - x[k]*exp(x[k] - x[k+1]) - 3 = 0;
solve; display f; display x;
