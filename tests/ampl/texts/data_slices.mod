# data_slices.mod - slices with * in lists: [*,1], [1,*], [2,*,3]; the slice holds until the next one; symbols and numbers as subscripts.
# linear
set P := {'in', 'out'};
param q {P, 1..3};
param w {1..2, P, 1..2} default 0;
param z {1..3, 1..3};
var y {P, 1..3} >= -1, <= 1;
minimize f: sum {p in P, k in 1..3} q[p,k]*y[p,k];
c1 {i in 1..2, k in 1..2}: sum {p in P} w[i,p,k]*y[p,k] <= i;
c2 {i in 1..3}: sum {j in 1..3} z[i,j]*y['in',j] = y['out',i];
data;
param q := [*,1] in 1 out 2  [*,2] in 3 out 4  [in,*] 3 5  [out,3] 6 ;
param w := [1,*,*] (tr): in out := 1 10 30 2 20 40
           [2,*,1] in 50 out 60
           [2,out,*] 2 70 ;
param z := [1,*] 1 2  2 -1  3 0
           [*,1] 2 -1  3 0
           [2,*] 2 2  3 -1
           [3,*] 2 -1  3 2 ;
