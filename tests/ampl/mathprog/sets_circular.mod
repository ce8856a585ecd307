# sets_circular.mod - with neighbours from data instead of a circular set.
set SEASON;
set RING := 1..4;
param before {SEASON} symbolic;
param need {SEASON};
var hire {SEASON} >= 0;
var a {RING};
minimize f: sum {s in SEASON} hire[s];
staff {s in SEASON}: hire[s] + hire[before[s]] >= need[s];
turn {i in RING}: a[i mod 4 + 1] - 2*a[i] + a[(i + 2) mod 4 + 1] = 0;
across {i in 1..2}: a[(i + 1) mod 4 + 1] + a[i mod 4 + 1] <= i;
data;
param: SEASON: before need := spring winter 3  summer spring 8  autumn summer 5  winter autumn 2;
end;
