set S within interval [0, 4];
var x {S};
data;
set S := 1 4 5;
