param a;
var x {i in 1..3: i > a};
