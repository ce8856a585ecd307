# comments.mod - comments /* and */ # wherever a blank may stand, declarations over many lines, many statements on a line.
# linear
/* opening * comment ** with stars **/ param n/*no blank*/:=/**/3; # the end
param
  a   # a name
  { i # a dummy
    in 1 .. n /* a range */ }
  := # the value
  i ^ 2
  ; var x{1..n};var y>=0,<=1;minimize f:y;s.t.c{i in 1..n}:a[i]*x[i]<=y; # all on one line
# var z;
/*
var w;
# ; */
d: sum{i in 1..n}x[i]/* ; */>=-1;
