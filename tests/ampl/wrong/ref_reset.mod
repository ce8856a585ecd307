var x;
reset;
var y;
