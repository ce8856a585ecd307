# hs_exponents.mod - in the manner of Hock and Schittkowski: exponents from a table, a posynomial, several statements on a line.
param m := 2;  param n := 3;  param K := 3;
param a {1..m, 1..K, 1..n} default 0;  param c {1..m, 1..K};
var x {j in 1..n} >= 0.1, <= 10, := j;
minimize obj: x[1]^-1 * x[2]^0.5 + 40*x[1]*x[3]^(1/3);
posy {i in 1..m}: sum {k in 1..K} c[i,k] * prod {j in 1..n} x[j]^a[i,k,j] <= 1;
data;
param c: 1 2 3 := 1 .1 .2 .3  2 .05 .15 .25;
param a := [1,*,*]: 1 2 3 := 1 1 -1 .  2 . 2 .5  3 -.5 . 1
           [2,*,*] (tr): 1 2 3 := 1 1 . 2  2 . 1 -1  3 -1 1 . ;
