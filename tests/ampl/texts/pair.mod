# pair.mod, pair.dat - a model and its data as two files on the command line; the second starts in data mode.
# linear
set S;
param a {S};
param limit;
var x {S} >= 0, <= limit;
maximize f: sum {s in S} a[s]*x[s];
total: sum {s in S} x[s] <= 2*limit;
