set S;
var x {S};
data;
set S := 1 = 2;
