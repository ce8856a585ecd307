set S {1..2};
var x {1..9};
c {k in 1..2}: sum {i in S[k]} x[i] <= 1;
data;
set S[1] := 1 2;
