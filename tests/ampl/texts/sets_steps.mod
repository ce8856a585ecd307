# sets_steps.mod - ranges with steps: upwards, downwards, fractions, ends that are not met, ends from params, descending and empty.
# linear
param n := 10;
param h := 0.25;
set EVEN := 2 .. n by 2;
set DOWN := n .. 1 by -3;               # 10 7 4 1
set PART := 0 .. 1 by h;                # 0 .25 .5 .75 1
set SHORT := 1 .. 9 by 5;               # 1 6
set EMPTY := 1 .. n by -1;
var x {DOWN} >= 0;
var y {PART};
var z {EVEN inter DOWN};
minimize f: sum {i in DOWN} i*x[i] + sum {t in PART} t*y[t] + sum {i in EMPTY} i;
c1 {i in DOWN: i < n}: x[i] <= x[i+3];
c2 {t in PART: t > 0}: y[t] - y[t-h] >= 0;
c3 {i in SHORT}: x[if i = 6 then 7 else i] + sum {j in EVEN: j >= i} j <= 99;
c4 {k in -1..1 by 2}: z[7 + 3*k] <= k;
