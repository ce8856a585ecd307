# powellbs.mod - Powell's badly scaled equations; problem 3 of J. J. More, B. S. Garbow, K. E. Hillstrom, "Testing
# unconstrained optimization software", ACM Transactions on Mathematical Software 7 (1981); POWELLBS of CUTEst.
#
# Root near (1.098e-5, 9.106).

var x1 := 0;
var x2 := 1;

subject to product: 1e4*x1*x2 = 1;
subject to decay: exp(-x1) + exp(-x2) = 1.0001;
