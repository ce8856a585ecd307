# figure2.mod - two variables on which the undamped step fails and damped steps do not.
#
# In the manner of Figure 2 of Goertzen, Alim, Min, Azizan, "HardNet++" (2026); the paper prints no numbers, these are
# chosen so that both behaviours show. The feasible set is the overlap of a half-plane with an ellipse; the start lies
# inside the half-plane and outside the ellipse.
#
# Undamped (eps = 0, every row kept): J is square, the step solves J s = -r, and as the half-plane's residual is 0,
# every step is parallel to its boundary: y[2] - y[1]/2 stays at 1.5. On that line (y[1]/2)^2 + y[2]^2 is never below
# 1.125 (at y[1] = -1.5), so the violation is never below 0.125. The iterates are Newton's for a quadratic without real
# root: (2, 2.5), (0.21, 1.61), (-0.72, 1.14), (-1.27, 0.87), (-1.92, 0.54), (-1.41, 0.79), (-2.90, 0.05), ... and so on
# for ever without order, now near, now far; 500 steps do not help.
#
# Damped (eps > 0, every row kept), the steps leave the line: to 1e-8 in 18 steps with eps = 0.01, 11 with 0.1, 12 with
# 0.3, where it ends at (0.279, 0.990), 17 with 1, 32 with 3. Undamped steps on the violated row alone need 5.

var y{1..2};

subject to halfplane: y[2] - y[1]/2 >= -1;
subject to ellipse: (y[1]/2)^2 + y[2]^2 <= 1;

data;

var y := 1 2  2 2.5;
