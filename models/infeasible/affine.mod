# affine.mod - three affine equations that contradict each other; no two of them do.
#
# Proof: the left sides of the first and the second add up to that of the third, but 1 + 0 is not 2. The least sum of squared
# residuals is 1/3: the residuals r1 + r2 - r3 always add up to 1.

var y{1..4};

subject to first:  y[1] + 2*y[2] - y[3] + y[4] = 1;
subject to second: 2*y[1] - y[2] + y[3] = 0;
subject to third:  3*y[1] + y[2] + y[4] = 2;

data;

var y := 1 1  2 -2  3 3  4 0.5;
