# sine.mod - a wave that would have to rise above its amplitude, with a least violation in every period.
#
# Proof: 3 sin t + 4 cos t <= sqrt(3^2 + 4^2) = 5 by Cauchy and Schwarz, and -y^2 is not above 0: the left side is at most 5,
# which is below 6.

var t := 2;
var y := -1;

subject to wave: 3*sin(t) + 4*cos(t) - y^2 = 6;
