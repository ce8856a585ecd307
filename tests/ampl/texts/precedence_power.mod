# precedence_power.mod - unary minus below ^, ^ to the right, negative exponents, ** the same as ^, unary minus after ^ and *.
var x := 2;
var y := 1.5;
param a := 2;  param b := 3;  param c := 2;
param tower := a^b^c;              # 2^9
param half := 2^-1;
minimize f: -x^2 + half*y**2 - -x;
c1: -x^2 + tower * y >= -10;
c2: x^-2 + y^-a * 3 <= 9;
c3: -2^2 + x*-y = 0;               # -4 - x*y
c4: (-x)^2 + 2*-x**3 + -y^2^.5 <= 0;
c5: x^y + y^x - a^-x <= 100;
c6: x / y / 2 * 3 - x - y - 1 >= -7;
