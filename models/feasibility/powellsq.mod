# powellsq.mod - Powell's equations with a singular root at 0; M. J. D. Powell, "A hybrid method for nonlinear
# equations", in P. Rabinowitz (ed.), "Numerical Methods for Nonlinear Algebraic Equations", 1970; POWELLSQ of CUTEst.

var x1 := 3;
var x2 := 1;

subject to square: x1^2 = 0;
subject to ratio: 10*x1/(x1 + 0.1) + 2*x2^2 = 0;
