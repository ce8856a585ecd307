set S := {'a', 'b'};
param p {S} >= 0;
var x {s in S} >= p[s];
data;
param p := a 1  b -1;
