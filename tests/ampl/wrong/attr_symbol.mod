set S := {'a', 'b'};
param s symbolic in S := 'c';
var x {S};
r: x[s] <= 1;
