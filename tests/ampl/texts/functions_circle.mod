# functions_circle.mod - sin cos tan asin acos atan atan2 of variables and of constants.
param pi := 4 * atan(1);
var t := 0.4;
var u := 0.3;
minimize f: sin(t)^2 + cos(t)*cos(u);
c1: tan(t) - sin(pi/6) <= 1;
c2: asin(u) + acos(u/2) >= 0;
c3: atan(t*u) - atan2(u, t) = 0;
c4: atan2(-1, t - 2) <= 0;
c5: sin(t + u)/cos(t - u) - tan(0.25) >= -1;
c6: asin(0.5)*t + acos(0.5)*u + atan(2) + atan2(1, -1) <= 9;
