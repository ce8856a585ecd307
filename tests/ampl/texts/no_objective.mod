# no_objective.mod - no objective at all: a feasibility problem with an ellipse and a line.
var x := 3;
var y := -2;
ellipse: x^2 / 4 + y^2 / 9 <= 1;
line: 2*x + y = 1.5;
