set A := {(1,2)};
var x;
c: sum {i in A} i*x <= 1;
