# transport.mod - supply and demand: sets in data, a two-dimensional table, a check on data, `=` rows.
# linear
set ORIG;   # plants
set DEST;   # customers
param supply {ORIG} >= 0;
param demand {DEST} >= 0;
   check: sum {i in ORIG} supply[i] = sum {j in DEST} demand[j];
param cost {ORIG,DEST} >= 0;
var Trans {ORIG,DEST} >= 0;
minimize total_cost:
   sum {i in ORIG, j in DEST} cost[i,j] * Trans[i,j];
subject to Supply {i in ORIG}:
   sum {j in DEST} Trans[i,j] = supply[i];
subject to Demand {j in DEST}:
   sum {i in ORIG} Trans[i,j] = demand[j];
data;
set ORIG := KIEL ULM ;
set DEST := BONN GERA HAM ;
param supply := KIEL 90  ULM 60 ;
param demand := BONN 70, GERA 50, HAM 30 ;
param cost :  BONN GERA HAM :=
      KIEL      39   14  11
      ULM       27    9  50 ;
end;
