# data_tables.mod - tables: plain, transposed, in several blocks of columns, with dots, with negative numbers, of three dimensions.
set R;
set C;
param a {R, C};
param b {R, C} default 0;
param c {C, R};
param d {R, C, 1..2};
var x {R, C};
minimize f: sum {i in R, j in C} (a[i,j]*x[i,j] + c[j,i]*x[i,j]^2);
row {i in R}: sum {j in C} b[i,j]*x[i,j] <= 10;
col {j in C}: sum {i in R} (d[i,j,1] + x[i,j]*d[i,j,2]) >= -10;
data;
set R := r1 r2 ;
set C := c1 c2 c3 c4 ;
param a :  c1   c2 :=
     r1    1    2
     r2    5   -6
        :  c3   c4 :=
     r1   +3    4.5
     r2    7    8 ;
param b :  c1 c2 c3 c4 :=
     r2    1  .  -1  .
     r1    .  2   .  3 ;
param c (tr) :  c1 c2 c3 c4 :=
          r1    1  1  2  2
          r2    3  3  4  4 ;
param d :=
   [*,*,1]: c1 c2 c3 c4 :=
      r1    1  2  3  4
      r2    5  6  7  8
   [r1,*,2] c1 .1 c2 .2 c3 .3 c4 .4
   [*,c1,2] r2 .5
   [r2,*,2] c2 .6 c3 .7 c4 .8 ;
