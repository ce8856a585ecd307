# balls.mod - two balls that do not touch; nothing satisfies both rows, and the status must say so.
#
# Proof: the centres are 3 apart and the radii are 1 and 1. A point of both would give 3 <= |y| + |y - centre| <= 2 by the
# triangle inequality.

param centre{1..3};

var y{1..3};

subject to first: sum{i in 1..3} y[i]^2 <= 1;
subject to second: sum{i in 1..3} (y[i] - centre[i])^2 <= 1;

data;

param centre := 1 2  2 2  3 1;
var y := 1 4  2 -3  3 2;
