param in := 3;
var x;
