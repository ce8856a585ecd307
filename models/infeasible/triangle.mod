# triangle.mod - three discs; any two of them meet, all three do not.
#
# The centres are corners of an equilateral triangle of side 2, the radii are 1.1: two discs meet because 2 <= 1.1 + 1.1.
# Proof: with the triangle's centre g, sum_i |y - c_i|^2 = 3 |y - g|^2 + sum_i |c_i - g|^2 >= 3 (2/sqrt 3)^2 = 4 for every y,
# but the three rows add up to sum_i |y - c_i|^2 <= 3 * 1.21 = 3.63.

param a{i in 1..3} := if i = 1 then 0 else if i = 2 then 2 else 1;
param b{i in 1..3} := if i = 3 then sqrt(3) else 0;

var y1 := 5;
var y2 := -3;

subject to disc {i in 1..3}: (y1 - a[i])^2 + (y2 - b[i])^2 <= 1.21;
