# regions.mod - indexed sets: `set S {R}`, sums over members of members, the union of an indexed family built in a set of pairs.
# linear
set REGION;
set TOWN {REGION};
set PLACE := setof {r in REGION, t in TOWN[r]} (r,t);
param people {PLACE} >= 0;
param quota {REGION};
var visit {PLACE} >= 0;
minimize effort: sum {(r,t) in PLACE} (1 + people[r,t]) * visit[r,t];
cover {r in REGION}: sum {t in TOWN[r]} visit[r,t] >= quota[r];
mix {r in REGION, t in TOWN[r]: people[r,t] > 2}: visit[r,t] <= 0.7 * sum {s in TOWN[r]} visit[r,s];
data;
set REGION := north south;
set TOWN[north] := Kiel Husum;
set TOWN[south] := Ulm Isny Wangen;
param people := north Kiel 5  north Husum 1  south Ulm 3  south Isny 1.5  south Wangen 2;
param quota := north 2 south 3;
end;
