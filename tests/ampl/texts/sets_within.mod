# sets_within.mod - within as an attribute, of a cross product and of another set; default members; dimen; a set of triples by slices.
# linear
set ORIG;
set DEST;
set PROD := {'x', 'y'};
set LINK within ORIG cross DEST;
set TRIP within {ORIG, DEST, PROD};
set HOME within ORIG default {'a'};
set FAR dimen 2 default {('a', 'r')};
var ship {TRIP} >= 0;
var open {LINK} >= 0, <= 1;
minimize f: sum {(i,j,p) in TRIP} ship[i,j,p] + sum {(i,j) in LINK} 3*open[i,j];
use {(i,j) in LINK}: sum {(i,j,p) in TRIP} ship[i,j,p] <= 10*open[i,j];
sell {j in DEST, p in PROD}: sum {(i,j,p) in TRIP} ship[i,j,p] >= 1;
home {i in HOME, (i,j) in LINK}: open[i,j] = 1;
far {(i,j) in FAR inter LINK}: open[i,j] <= 0.5;
data;
set ORIG := a b;
set DEST := r s;
set LINK := (a,r) (a,s) (b,s);
set TRIP := (a,*,x) r s  (b,s,*) x y  (a,r,y);
