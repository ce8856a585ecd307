# precedence_logic.mod - not below relations, and above or, the marks ! && ||, in and not in, conditions on indices only.
param n := 6;
set ODD := {1, 3, 5};
var x {1..n};
minimize f: sum {i in 1..n} x[i]^2;
a {i in 1..n: not i = 2 and i < 4}: x[i] >= -1;            # 1 3
b {i in 1..n: i = 1 or i = 2 and i > 1}: x[i] >= -2;       # 1 2
c {i in 1..n: !(i in ODD) && i <= 4 || i == 5}: x[i] >= -3; # 2 4 5
d {i in 1..n: i not in ODD and i != 6}: x[i] >= -4;        # 2 4
e {i in 1..n: not i in ODD}: x[i] >= -5;                   # 2 4 6
g {i in 1..n: i mod 2 and i <> 3}: x[i] >= -6;             # 1 5, a number as a condition
h {i in 1..n: not (i >= 2 or i <= 0)}: x[i] >= -7;         # 1
k {i in 1..n: i + 1 in ODD or i * 2 - 6 = 0}: x[i] >= -8;  # 2 3 4
