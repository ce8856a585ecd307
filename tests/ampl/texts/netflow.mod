# netflow.mod - flows on a graph: a set of pairs `within` a cross product, sums over slices {(k,j) in ARCS}, a set table of + and -.
# linear
set NODES;
set ARCS within {NODES, NODES};
param supply {NODES} default 0;
param cap {ARCS} default 7;
param price {(i,j) in ARCS} > 0;
var Ship {(i,j) in ARCS} >= 0, <= cap[i,j];
minimize Bill: sum {(i,j) in ARCS} price[i,j] * Ship[i,j];
subject to Keep {k in NODES}:
   sum {(k,j) in ARCS} Ship[k,j] - sum {(i,k) in ARCS} Ship[i,k] = supply[k];
data;
set NODES := s a b t ;
set ARCS :    a  b  t :=
         s    +  +  -
         a    -  +  +
         b    -  -  + ;
param supply := s 9  t -9 ;
param price := [s,*] a 2 b 3  [a,b] 1  [a,t] 5 [*,t] b 2 ;
param cap := a b 4 ;
end;
