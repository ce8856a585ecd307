# data_lists.mod - without dots in a list.
param n;
param rate;
param a {1..n};
param b {1..n, 1..2} default -1;
param c {1..n};
param d {1..n} default 4;
var x {1..n} >= 0;
minimize f: sum {i in 1..n} a[i] * x[i];
r1 {i in 1..n, j in 1..2}: b[i,j] * x[i] <= rate;
r2 {i in 1..n}: c[i] * x[i] >= d[i];
data;
param n := 4;
param rate := +2.5e1;
param a := 1 10, 2 -20, 3 3e1, 4 .5;
param b := 1 1 11
           1 2 12
           3 2 -32 ;
param c default 7 := 2 9 ;
param d := 2 8 4 -1 ;
end;
