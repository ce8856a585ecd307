# crescent.mod - the model of the animation: a point in a disc, and outside of another.
var y{1..2};
subject to disc: y[1]^2 + y[2]^2 <= 4;
subject to bite: (y[1] - 1)^2 + (y[2] - 0.6)^2 >= 2.25;
