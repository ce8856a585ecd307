# creep_budget.mod - cumulative sums: a rate that may change by 0.1 a period, and a stock that must reach 319 in time.
#
# rate = min(0.1 k, 4, 0.1 (120 - k)), rising, level, falling, gives a stock of 320: nearly every row that limits a change is
# met with equality, and each of them depends on all the others through the sums.

param n := 120;

var rate{0..n} >= 0, <= 4, := 0;
var stock{0..n} := 0;

subject to empty: stock[0] = 0;
subject to rest: rate[0] = 0;
subject to halt: rate[n] = 0;
subject to adds {k in 1..n}: stock[k] - stock[k-1] - rate[k] = 0;
subject to slow {k in 1..n}: -0.1 <= rate[k] - rate[k-1] <= 0.1;
subject to limit {k in 1..n}: stock[k] <= 0.05*k*(k + 1);
subject to reach: stock[n] >= 319;
