# creep_far.mod - a coefficient of 1 that must travel by 400 beside a curved term with 800 y.
#
# y = 0, u = 400 is feasible. The row can be lowered by y until y is 0, and there its slope by y vanishes: a step that is
# damped enough not to throw y about moves u by a thousandth of what is missing.

var y := 5;
var u := 0;

subject to curve: 400*(1 + y^2) - u <= 0;
