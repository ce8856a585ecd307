set S := 1..3;
var x {S};
data;
set S := 4 5;
