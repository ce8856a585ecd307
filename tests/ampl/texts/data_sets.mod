# data_sets.mod - sets in data: lists, tuples, pairs without brackets, tables of + and -, transposed, slices, families, empty sets.
# linear
set A;
set B;
set N;
set P within {A, B};
set Q within {A, B};
set T within {A, B};
set U dimen 3;
set F {1..3};
set G {1..2} dimen 2;
var x {A, B} >= 0;
minimize f: sum {(i,j) in P} x[i,j] + 2*sum {(i,j) in Q} x[i,j] + 3*sum {(i,j) in T} x[i,j];
c1 {(i,j,k) in U}: x[i,j] <= k;
c2 {k in 1..3}: sum {i in F[k]} x[i,'u'] >= -k;
c3 {k in 1..2, (i,j) in G[k]}: x[i,j] >= k;
c4 {n in N}: x[n,'u'] = 0;
data;
set A := a1, a2  a3;
set B := u v;
set N := ;
set P := (a1,u) (a2,v) (a3,u);
set Q := a1 v, a3 v;
set T : u v :=
   a1   + -
   a2   - + ;
set U := (a1,*,*) u 1 v 2  (a2,*,5) u  (a3,v,6);
set F[1] := a1 a2;
set F[2] := ;
set F[3] := a3;
set G[1] (tr) : a1 a2 a3 :=
   u   + - -
   v   - + + ;
set G[2] := a2 u;
