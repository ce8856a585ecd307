# drops.mod in the words of GNU MathProg: what is left.
param n := 4;
var x {1..n} >= 0, <= 3;
maximize second {i in 2..2}: i*x[1] - x[3];
s.t. a {i in {1, 3}}: x[i] <= i;
s.t. b: sum {i in 1..n} x[i] >= 2;
s.t. c {i in 2..2}: x[i] + x[i+1] <= 4;
end;
