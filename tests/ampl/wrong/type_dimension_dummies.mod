set A := {(1,2)};
var x {(i,j,k) in A};
