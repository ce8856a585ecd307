# creep_order.mod - an assignment with capacities: rows and columns of shares add to 1, and means rise by 0.99 at least.
#
# The identity is feasible (its means rise by 1). Nearly every share must be 0: a linear programme whose bounds meet, ten
# times as many as the outputs that are left.

param n := 10;

var p{1..n, 1..n} >= 0, := 1;

subject to sends {i in 1..n}: sum{j in 1..n} p[i,j] = 1;
subject to gets {j in 1..n}: sum{i in 1..n} p[i,j] = 1;
subject to rises {i in 2..n}: sum{j in 1..n} j*p[i,j] - sum{j in 1..n} j*p[i-1,j] >= 0.99;
