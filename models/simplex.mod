# simplex.mod - probabilities: the point of the unit simplex nearest to the network's input.
#
# The constraints behind every softmax; here they are met by correction, and exact zeros are possible. The objective's
# minimiser is the Euclidean projection max(0, x - s) with the one s for which the entries sum to 1.

param n := 10;
param x{1..n} >= -1, <= 1;                              # the network's input

var y{1..n} >= 0, <= 1, := 1/n;

minimize distance: sum{i in 1..n} (y[i] - x[i])^2;

subject to total: sum{i in 1..n} y[i] = 1;
