# multi.mod - commodities over a three-dimensional table: slices [*,*,p] with and without (tr), a sum over two indices, `default`.
# linear
set ORIG;
set DEST;
set PROD;
param supply {ORIG,PROD};
param limit {ORIG,DEST} >= 0, default 625;
param cost {ORIG,DEST,PROD} >= 0;
var Trans {ORIG,DEST,PROD} >= 0;
minimize total: sum {i in ORIG, j in DEST, p in PROD} cost[i,j,p] * Trans[i,j,p];
s.t. Supply {i in ORIG, p in PROD}: sum {j in DEST} Trans[i,j,p] <= supply[i,p];
s.t. Multi {i in ORIG, j in DEST}: sum {p in PROD} Trans[i,j,p] <= limit[i,j];
data;
set ORIG := G C ;
set DEST := F D L ;
set PROD := bands coils ;
param supply (tr):  G  C :=
   bands  400 700
   coils  800 1600 ;
param limit :=  G F 500 ;
param cost :=
   [*,*,bands]:   F   D   L :=
        G        30  10   8
        C        22   7  10
   [*,*,coils] (tr):  G   C :=
        F        39  27
        D        14   9
        L        11  12 ;
end;
