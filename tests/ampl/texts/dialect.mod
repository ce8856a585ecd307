# dialect.mod - chained comparisons, words of operators as names, '=' in data, card without parentheses, suffixes of objectives
# and constraints, lets on multipliers, an integer variable without columns.
set prod ordered;
set none;
param diff{prod};
param mod default 2;
param circular := 3;
var x {i in 1..6: 2 <= i <= 4} >= 0;
var inter {prod} <= 9, := 1;
var count {none} integer >= 0;
minimize cost: sum {p in prod} diff[p]*inter[p]^2 + sum {i in 2..4} (if 2 < i < circular + 1 then 5 else 1)*x[i]^2 suffix weight 2;
subject to cross {p in prod, q in prod: 1 <= ord(p) < ord(q) <= card {prod}} := 1: inter[p] + inter[q] >= mod, suffix weight 3;
band: -1 <= x[2] - x[3] <= 1;
meet {(from,to) in {(2,3), (3,4)}}: x[from]*x[to] <= to;
last_one: x[circular] <= card {i in 1..9: 9 >= i > 3 >= 3};
check {p in prod}: 0.5 < diff[p] = diff[p] <= 4.5;
let cross['a','b'] := 4;
let band.dual := 1;
data;
set prod = a b c;
set none =;
param diff = a 1, b 2.5 c 4;
param mod=1.5;
var x = 2 0.5, 3 0.25;
