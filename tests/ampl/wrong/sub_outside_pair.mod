set A := {(1,2), (2,3)};
var x {A};
c {(i,j) in A}: x[i,j] >= x[j-1+1,i];
