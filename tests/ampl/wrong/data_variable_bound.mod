var x = 3;
data;
var x := 4;
