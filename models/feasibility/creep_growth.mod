# creep_growth.mod - outputs that grow from 1 to 50 000 along a chain, and a last one that must not be larger than that.
#
# y[k] = 1.6^(k-1) is feasible, and there is hardly any other: rows meet nearly in a point, at numbers of every size.

param n := 24;

var y{1..n} := 0;

subject to first: y[1] >= 1;
subject to grow {k in 2..n}: y[k] - 1.6*y[k-1] >= 0;
subject to last: y[n] <= 1.0001*1.6^(n-1);
