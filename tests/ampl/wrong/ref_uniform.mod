param p {1..3} := Uniform(0,1);
var x;
