# column.mod - the extraction column of KKT-HardNet (SOULS-TAMU/kkt-hardnet): balances over three components.
#
# x1 is the feed, x2 the solvent, x3 a ratio; y1, y2 are the two streams that leave, y3..y5 and y6..y8 their
# compositions, y9 = x3 y1. It is feasible for every x with x1 + x2 > 0: give both streams the same composition, y3 =
# y6 = 0.697616946 x1/(x1 + x2) and so on. The repository's data come from a flowsheet; this box is chosen.

param x1 >= 0.5, <= 2;                                  # the network's inputs
param x2 >= 0.5, <= 2;
param x3 >= 0.1, <= 1;

var y1 := 1;
var y2 := 1;
var y3 := 0.3;
var y4 := 0.3;
var y5 := 0.3;
var y6 := 0.3;
var y7 := 0.3;
var y8 := 0.3;
var y9 := 0.5;

subject to total: y1 + y2 = x1 + x2;
subject to first: y1*y3 + y2*y6 = 0.697616946*x1;
subject to second: y1*y4 + y2*y7 = 0.302383054*x1;
subject to composition1: y3 + y4 + y5 = 1;
subject to composition2: y6 + y7 + y8 = 1;
subject to ratio: x3*y1 = y9;
