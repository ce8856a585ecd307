# hs_product.mod - in the manner of Hock and Schittkowski: four variables in a box, a product and a sum of squares, starts by let.
var x {1..4} >= 1, <= 5;
minimize obj: x[1]*x[4]*(x[1] + x[2] + x[3]) + x[3];
subject to constr1: x[1]*x[2]*x[3]*x[4] >= 25;
subject to constr2: sum {i in 1..4} x[i]^2 = 40;
let x[1] := 1;
let x[2] := 5;
let x[3] := 5;
let x[4] := 1;
solve;
