# sets_circular.mod - a circular set: next of the last member is the first, prev of the first is the last; given in data.
# linear
set SEASON circular;
set RING circular := 1..4;
param need {SEASON};
var hire {SEASON} >= 0;
var a {RING};
minimize f: sum {s in SEASON} hire[s];
staff {s in SEASON}: hire[s] + hire[prev(s)] >= need[s];
turn {i in RING}: a[next(i)] - 2*a[i] + a[prev(i)] = 0;
across {i in RING: ord(i) <= 2}: a[next(i,RING,2)] + a[prev(i,RING,3)] <= i;
data;
set SEASON := spring summer autumn winter;
param need := spring 3  summer 8  autumn 5  winter 2;
