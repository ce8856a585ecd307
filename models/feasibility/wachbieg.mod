# wachbieg.mod - the example of A. Waechter and L. T. Biegler, "Failure of global convergence for a class of interior
# point methods for nonlinear programming", Mathematical Programming 88 (2000); WACHBIEG of the CUTEst collection, with
# its original constants -1 and 0.5.
#
# From a start on the wrong side of x1 the linearised equations and the bounds contradict each other.
# Solution (1, 0, 0.5), f = 1.

var x1 := -2;
var x2 >= 0, := 1;
var x3 >= 0, := 1;

minimize f: x1;

subject to parabola: x1^2 - x2 - 1 = 0;
subject to line: x1 - x3 - 0.5 = 0;
