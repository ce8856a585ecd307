# catenary.mod - a hanging chain of links: differences of neighbours, both ends fixed, a length in a square root.
param N := 5;
param L := 4;
param a := 1;  param b := 3;
var x {i in 0..N} := i/N;
var y {i in 0..N} := a + (b - a)*i/N;
minimize energy: sum {i in 1..N} (y[i-1] + y[i])/2;
subject to link {i in 1..N}: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = (L/N)^2;
subject to whole: sum {i in 1..N} sqrt((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2) <= L;
fix x[0] := 0;  fix y[0] := a;
fix x[N] := 1.5;  fix y[N] := b;
