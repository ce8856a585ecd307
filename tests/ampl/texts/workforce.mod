# workforce.mod - shifts over a week: a table of 0 and 1 whose zeros drop out, if without else in a coefficient, `by` in a range.
# linear
set SHIFTS := 1..6;
set TEAM := 1..9 by 4;
param works {TEAM, SHIFTS} binary;
param need {i in SHIFTS} := 3 + (if i > 4 then 2);
param wage {t in TEAM} := 10 + t / 2;
var hire {TEAM} >= 0;
var extra {SHIFTS} >= 0, <= 1;
minimize pay: sum {t in TEAM} wage[t] * hire[t] + 40 * sum {i in SHIFTS} extra[i];
staff {i in SHIFTS}: sum {t in TEAM} works[t,i] * hire[t] + extra[i] >= need[i];
calm {i in 1..5}: extra[i] + extra[i+1] <= 1.5;
data;
param works:  1 2 3 4 5 6 :=
   1          1 1 0 0 1 1
   5          0 1 1 1 0 0
   9          1 0 0 1 1 1 ;
end;
