# sets_ordered.mod - ordered sets: first last next prev ord member card, steps of two, a set of words, a range as an ordered set.
# linear
set WEEKS ordered := {'w27', 'w28', 'w29', 'w30'};
set HOURS ordered := 8 .. 14 by 2;
param demand {WEEKS};
param start := 5;
var make {WEEKS} >= 0;
var store {WEEKS} >= 0;
var on {HOURS};
minimize cost: sum {t in WEEKS} (ord(t) * make[t] + store[t]);
balance {t in WEEKS: ord(t) > 1}: make[t] + store[prev(t)] = demand[t] + store[t];
opening: make[first(WEEKS)] + start = demand[first(WEEKS)] + store[first(WEEKS)];
closing: store[last(WEEKS)] >= 2;
smooth {t in WEEKS: t <> last(WEEKS)}: make[next(t)] - make[t] <= 3;
wide {t in WEEKS: ord(t) <= card(WEEKS) - 2}: make[next(t,WEEKS,2)] + make[next(t,WEEKS,1)] >= 1;
third: make[member(3, WEEKS)] <= 9 + ord('w28', WEEKS);
ramp {h in HOURS: h < last(HOURS)}: on[next(h)] >= on[h] + (next(h, HOURS) - h)/10;
back {h in HOURS: ord(h, HOURS) > 2}: on[prev(h, HOURS, 2)] <= on[h];
data;
param demand := w27 4  w28 6  w29 3  w30 7;
