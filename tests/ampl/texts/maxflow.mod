# maxflow.mod - a set of pairs listed as tuples, dummies in parentheses, a condition that leaves out two nodes, bounds by params.
# linear
set CITIES;
param entr symbolic in CITIES;
param exit symbolic in CITIES, <> entr;
set ROADS within {i in CITIES, j in CITIES: i <> exit and j <> entr};
param cap {ROADS} >= 0;
var Traff {(i,j) in ROADS} >= 0, <= cap[i,j];
maximize Entering: sum {(entr,j) in ROADS} Traff[entr,j];
subject to Balance {k in CITIES diff {entr, exit}}:
   sum {(i,k) in ROADS} Traff[i,k] = sum {(k,j) in ROADS} Traff[k,j];
data;
set CITIES := a b c d e ;
param entr := a ;
param exit := e ;
param: ROADS: cap :=
   a b 50,  a c 100
   b d 40   b c 20
   c d 60   c e 20
   d e 90 ;
end;
