# pooling.mod - Haverly's pooling network as KKT-HardNet learns it (SOULS-TAMU/kkt-hardnet): four given flows, five
# sought numbers, no bounds. models/pooling.mod is the same network written out, with its flows kept nonnegative.
#
# x1, x2 enter the pool with 3 and 1 per cent of sulphur, x3, x4 are the products; y1 is the pool's sulphur, y2, y3 flow
# from the pool and y4, y5 past it to the products. Every sample of the box below is feasible:
#
#   y1 = (3 x1 + x2)/(x1 + x2) is below 2,  y3 = x1 + x2 - y2,  y4 = x3 - y2,  y5 = x4 - y3,
#   and the inequalities say  -x3/2 <= (2 - y1) y2  and  x4/2 <= (2 - y1) y3,  where  (2 - y1) (y2 + y3) = x2 - x1.
#
# A y2 exists when x2 - x1 >= (x4 - x3)/2; in the box the left side is at least 0.45, the right at most 0.

param x1 >= 0, <= 0.15;                                 # the network's inputs
param x2 >= 0.6, <= 1;
param x3 >= 0.8, <= 1.2;
param x4 >= 0.4, <= 0.8;

var y1 := 2;
var y2 := 0.5;
var y3 := 0.5;
var y4 := 0.5;
var y5 := 0.5;

subject to pool: y2 + y3 = x1 + x2;
subject to product3: y2 + y4 = x3;
subject to product4: y3 + y5 = x4;
subject to sulphur: y1*(y2 + y3) = 3*x1 + x2;
subject to limit3: y1*y2 + 2*y4 <= 2.5*x3;
subject to limit4: y1*y3 + 2*y5 <= 1.5*x4;
