# cluster.mod - two equations in two unknowns with a cluster of roots; CLUSTER of the CUTEst collection.
#
# Its roots are the crossings of the curves x1 = x2^2 and x1 = sin x2 with the curves x1 = cos x2 and x2 = cos x1.

var x1 := 0;
var x2 := 0;

subject to first: (x1 - x2^2)*(x1 - sin(x2)) = 0;
subject to second: (cos(x2) - x1)*(x2 - cos(x1)) = 0;
