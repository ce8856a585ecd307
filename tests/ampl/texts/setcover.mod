# setcover.mod - a cover model over letters: `in` and `not in`, `union`, `inter`, `diff` and `cross` on literal sets, card.
# linear
set A := {'a', 'b', 'c', 'd'};
set B := {'c', 'd', 'e'};
set ALL := A union B;
set BOTH := A inter B;
set ONE := (A diff B) union (B diff A);
set PAIRS := BOTH cross ONE;
param n := card(ALL);
var pick {ALL} >= 0, <= 1;
var link {PAIRS} >= 0;
minimize size: sum {i in ALL} (if i in BOTH then 2 else 1) * pick[i] + n * sum {(i,j) in PAIRS} link[i,j];
each {i in ALL: i not in BOTH}: pick[i] + sum {k in BOTH} link[k,i] >= 1;
few: sum {i in BOTH} pick[i] <= card(PAIRS) / 3;
end;
