var x;
var y {1..2} >= x;
