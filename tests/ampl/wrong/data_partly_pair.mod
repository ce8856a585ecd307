set R := {'a', 'b'};
set C := {'u', 'v'};
param cost {R, C};
var x {R, C};
minimize f: sum {i in R, j in C} cost[i,j]*x[i,j];
data;
param cost: u v := a 1 2  b 3 . ;
