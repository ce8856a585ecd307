# square.mod - a sum of squares below a negative number.
#
# Proof: squares are not negative, so the left side is at least 0, and 0 is above -1. At its least, y = (1, 1, 1), the
# derivative vanishes: the violation is 1 and no direction lowers it.

var y{1..3};

subject to squares: (y[1] - y[2])^2 + (y[2] - y[3])^2 + (y[3] - 1)^2 <= -1;

data;

var y := 1 3  2 -1  3 0.5;
