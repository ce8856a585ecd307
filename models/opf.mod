# opf.mod - alternating-current optimal power flow on nine buses: three generators, three loads, nine branches.
#
# The WSCC nine-bus system in J. H. Chow (ed.), "Time-Scale Modeling of Dynamic Networks with Applications to Power
# Systems", Springer 1982, p. 70, with the limits and costs under which it has become a standard case ("case9"): at the
# nominal loads the cheapest dispatch costs 5296.69 $/h. Polar form, per unit on 100 MVA; flow limits at both ends of
# every branch. The network's inputs are the six loads.
#
# Branch from i to j with series admittance g + jb = 1/(r + jx) and charging c, half at each end; t = va[i] - va[j]:
#   active    g vm_i^2 - vm_i vm_j (g cos t + b sin t)
#   reactive  -(b + c/2) vm_i^2 - vm_i vm_j (g sin t - b cos t)

set BUSES := 1..9;
set GENERATORS := 1..3;                                 # each at the bus of its number; the angle of bus 1 is 0
set LOADS;
set BRANCHES within {BUSES, BUSES};
set ENDS := BRANCHES union setof{(i,j) in BRANCHES} (j,i);          # each branch seen from either end

param base := 100;                                      # MVA
param p_min{GENERATORS};  param p_max{GENERATORS};      # MW
param q_min{GENERATORS};  param q_max{GENERATORS};      # MVAr
param c0{GENERATORS};  param c1{GENERATORS};  param c2{GENERATORS};   # $/h, of MW
param p_nominal{LOADS};  param q_nominal{LOADS};        # MW, MVAr
param r{BRANCHES};  param x{BRANCHES};  param charging{BRANCHES};
param rate{BRANCHES};                                   # MVA

param g{(i,j) in BRANCHES} := r[i,j]/(r[i,j]^2 + x[i,j]^2);
param b{(i,j) in BRANCHES} := -x[i,j]/(r[i,j]^2 + x[i,j]^2);
param ge{(i,j) in ENDS} := if (i,j) in BRANCHES then g[i,j] else g[j,i];
param be{(i,j) in ENDS} := if (i,j) in BRANCHES then b[i,j] else b[j,i];
param ce{(i,j) in ENDS} := if (i,j) in BRANCHES then charging[i,j] else charging[j,i];
param limit{(i,j) in ENDS} := (if (i,j) in BRANCHES then rate[i,j] else rate[j,i])/base;

# The loads, per unit: the network's inputs, from 70 to 120 per cent of nominal.
param pd{i in LOADS} >= 0.7*p_nominal[i]/base, <= 1.2*p_nominal[i]/base;
param qd{i in LOADS} >= 0.7*q_nominal[i]/base, <= 1.2*q_nominal[i]/base;

var pg{k in GENERATORS} >= p_min[k]/base, <= p_max[k]/base, := 1;
var qg{k in GENERATORS} >= q_min[k]/base, <= q_max[k]/base, := 0;
var vm{BUSES} >= 0.9, <= 1.1, := 1;
var va{BUSES} := 0;                                     # radians

var p_flow{(i,j) in ENDS} =
    ge[i,j]*vm[i]^2 - vm[i]*vm[j]*(ge[i,j]*cos(va[i] - va[j]) + be[i,j]*sin(va[i] - va[j]));
var q_flow{(i,j) in ENDS} =
    -(be[i,j] + ce[i,j]/2)*vm[i]^2 - vm[i]*vm[j]*(ge[i,j]*sin(va[i] - va[j]) - be[i,j]*cos(va[i] - va[j]));

minimize cost: sum{k in GENERATORS} (c2[k]*(base*pg[k])^2 + c1[k]*base*pg[k] + c0[k]);

subject to active {i in BUSES}:
    sum{(i,j) in ENDS} p_flow[i,j]
        = (if i in GENERATORS then pg[i] else 0) - (if i in LOADS then pd[i] else 0);

subject to reactive {i in BUSES}:
    sum{(i,j) in ENDS} q_flow[i,j]
        = (if i in GENERATORS then qg[i] else 0) - (if i in LOADS then qd[i] else 0);

subject to flow {(i,j) in ENDS}: p_flow[i,j]^2 + q_flow[i,j]^2 <= limit[i,j]^2;

fix va[1] := 0;

data;

param:    p_min  p_max  q_min  q_max    c2      c1   c0 :=
    1     10     250    -300   300      0.11    5    150
    2     10     300    -300   300      0.085   1.2  600
    3     10     270    -300   300      0.1225  1    335;

param: LOADS:  p_nominal  q_nominal :=
    5           90        30
    7          100        35
    9          125        50;

param: BRANCHES:  r       x       charging  rate :=
    1 4           0       0.0576  0         250
    4 5           0.017   0.092   0.158     250
    5 6           0.039   0.17    0.358     150
    3 6           0       0.0586  0         300
    6 7           0.0119  0.1008  0.209     150
    7 8           0.0085  0.072   0.149     250
    8 2           0       0.0625  0         250
    8 9           0.032   0.161   0.306     250
    9 4           0.01    0.085   0.176     250;
