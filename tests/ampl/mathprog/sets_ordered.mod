# sets_ordered.mod - with positions and neighbours from data instead of ordered sets.
set WEEKS;
set HOURS := 8 .. 14 by 2;
param place {WEEKS};
param demand {WEEKS};
param before {WEEKS} symbolic;
param after {WEEKS} symbolic;
param start := 5;
var make {WEEKS} >= 0;
var store {WEEKS} >= 0;
var on {HOURS};
minimize cost: sum {t in WEEKS} (place[t] * make[t] + store[t]);
balance {t in WEEKS: place[t] > 1}: make[t] + store[before[t]] = demand[t] + store[t];
opening: make['w27'] + start = demand['w27'] + store['w27'];
closing: store['w30'] >= 2;
smooth {t in WEEKS: t <> 'w30'}: make[after[t]] - make[t] <= 3;
wide {t in WEEKS: place[t] <= 2}: make[after[after[t]]] + make[after[t]] >= 1;
third: make['w29'] <= 11;
ramp {h in HOURS: h < 14}: on[h+2] >= on[h] + 0.2;
back {h in HOURS: h > 10}: on[h-4] <= on[h];
data;
param: WEEKS: place demand before after :=
  w27 1 4 none w28
  w28 2 6 w27 w29
  w29 3 3 w28 w30
  w30 4 7 w29 none;
end;
