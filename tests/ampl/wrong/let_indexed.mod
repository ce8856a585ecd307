param p {1..2} := 2;
var x {1..2};
