# ellipse.mod - a point of an ellipse on a given line: the smallest model with an input, an equality and an inequality.
#
# The line y1 + y2 = offset meets the ellipse y1^2/4 + y2^2 <= 1 when |offset| <= sqrt(5), since by Cauchy and Schwarz
# (2 (y1/2) + 1 y2)^2 <= (4 + 1) (y1^2/4 + y2^2). The objective picks the point nearest to (2, 1).

param offset >= -2, <= 2;                               # the network's input

var y1 := 2;
var y2 := 1;

minimize distance: (y1 - 2)^2 + (y2 - 1)^2;

subject to inside: y1^2/4 + y2^2 <= 1;
subject to line: y1 + y2 = offset;
