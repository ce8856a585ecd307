# infeasible.mod - a disc and a half-plane that do not meet; nothing can satisfy both rows, and the status must say so.
#
# Proof: (y1 + y2)^2 + (y1 - y2)^2 = 2 (y1^2 + y2^2), so on the disc y1^2 + y2^2 <= 1 the sum y1 + y2 is at most
# sqrt(2), which is below 2. The sum of squared violations is smallest where J'r = 0: at y1 = y2 = t = 2^(-1/3) =
# 0.79370, with violations 2^(1/3) - 1 = 0.25992 of the disc and 2 - 2t = 0.41260 of the half-plane.

var y1 := -1;
var y2 := 2;

subject to disc: y1^2 + y2^2 <= 1;
subject to halfplane: y1 + y2 >= 2;
