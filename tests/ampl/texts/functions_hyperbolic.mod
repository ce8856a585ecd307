# functions_hyperbolic.mod - sinh cosh tanh asinh acosh atanh, exp log log10 sqrt abs, of variables and of constants.
var p >= 0.1 := 0.5;
var q := 1.5;
minimize f: sinh(p) + cosh(q) - tanh(p*q);
c1: asinh(q) + acosh(q) + atanh(p) <= 5;
c2: exp(-p) + log(q) + log10(q + 1) >= 0;
c3: sqrt(p) * abs(p - q) <= 3;
c4: log(exp(2)) * p + log10(1000) * q + sqrt(16) - abs(-3) <= 100;
c5: p * sinh(1) - q * cosh(0.5) + tanh(.25) + asinh(1) + acosh(2) + atanh(0.5) >= -9;
