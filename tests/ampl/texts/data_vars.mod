# data_vars.mod - start values in data: var x := ..., tables of starts, several variables at once, a start in data beats none.
set S := {'p', 'q'};
var x {1..3} >= 0;
var y {S, 1..2} := 9;
var z;
var v {S};
var w {S} := 1;
minimize f: sum {i in 1..3} x[i]^2 + z^2 + sum {s in S} (v[s]*w[s] + y[s,1]*y[s,2]);
c: sum {i in 1..3} x[i] = z;
data;
var x := 1 0.5  2 1.5  3 2.5;
var z := -4;
var y : 1 2 :=
    p   1 2
    q   3 . ;
var : v w :=
   p 10 20
   q 30 40 ;
