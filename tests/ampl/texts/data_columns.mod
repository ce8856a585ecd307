# data_columns.mod - several params in one table: with the set that it defines, without one, with two subscripts, with dots and a common default.
# linear
set S;
set L dimen 2;
param a {S};
param b {S} default 100;
param c {1..3};
param d {1..3};
param len {L};
param cap {L} default 9;
param name {S} symbolic default 'plain';
var x {S} >= 0;
var f {L} >= 0;
minimize cost: sum {s in S} a[s]*x[s] + sum {(i,j) in L} len[i,j]*f[i,j];
limit {s in S}: x[s] <= b[s] + (if name[s] = 'plain' then 0 else 1);
flow {(i,j) in L}: f[i,j] <= cap[i,j];
mix {i in 1..3}: c[i]*sum {s in S} x[s] + d[i]*sum {(j,k) in L} f[j,k] >= 0;
data;
param: S:     a    b   name :=
      ore     1   11   .
      coal    2    .   'brown coal'
      salt    3   33   rock ;
param default -30: c d := 1 1 -1, 2 2 -2, 3 3 . ;
param: L: len cap :=
   ore coal  2.5  .
   coal salt 1.5  4
   [salt,*] ore 7 8 ;
