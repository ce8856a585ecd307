set S within 1..3;
var x {S};
data;
set S := 2 5;
