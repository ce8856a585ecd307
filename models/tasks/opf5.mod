# opf5.mod - alternating-current optimal power flow on five buses: five generators, three loads.
#
# The five-bus system of F. Li and R. Bo, "Small test systems for power system economic studies",
# IEEE PES General Meeting 2010, with the voltage and flow limits under which it is a standard case
# ("case5_pjm"): at the nominal loads the cheapest dispatch costs 17 551.89 $/h. Polar form, per unit
# on 100 MVA. Costs are linear, so that generators work at their limits, and the limit of the branch
# from 4 to 5 decides who sets the price.
#
#   in    pd, qd     loads, each on its own
#   out   pg, qg     dispatch of the generators;  vm, va  magnitudes and angles of the voltages
#
# Branch from i to j with series admittance g + jb = 1/(r + jx) and charging c, half at each end; t = va[i] - va[j]:
#   active    g vm_i^2 - vm_i vm_j (g cos t + b sin t)
#   reactive  -(b + c/2) vm_i^2 - vm_i vm_j (g sin t - b cos t)

set BUSES := 1..5;
set GENERATORS;
set LOADS;
set BRANCHES within {BUSES, BUSES};
set ENDS := BRANCHES union setof{(i,j) in BRANCHES} (j,i);          # each branch seen from either end

param base := 100;                                      # MVA
param at{GENERATORS};                                   # bus
param p_max{GENERATORS};  param q_max{GENERATORS};      # MW from 0; MVAr in both directions
param price{GENERATORS};                                # $/MWh
param p_nominal{LOADS};  param q_nominal{LOADS};        # MW, MVAr
param r{BRANCHES};  param x{BRANCHES};  param charging{BRANCHES};
param rate{BRANCHES};                                   # MVA; 0: no limit

param g{(i,j) in BRANCHES} := r[i,j]/(r[i,j]^2 + x[i,j]^2);
param b{(i,j) in BRANCHES} := -x[i,j]/(r[i,j]^2 + x[i,j]^2);
param ge{(i,j) in ENDS} := if (i,j) in BRANCHES then g[i,j] else g[j,i];
param be{(i,j) in ENDS} := if (i,j) in BRANCHES then b[i,j] else b[j,i];
param ce{(i,j) in ENDS} := if (i,j) in BRANCHES then charging[i,j] else charging[j,i];
param limit{(i,j) in ENDS} := (if (i,j) in BRANCHES then rate[i,j] else rate[j,i])/base;

# The loads, per unit: the network's inputs, from 80 to 110 per cent of nominal.
param pd{i in LOADS} >= 0.8*p_nominal[i]/base, <= 1.1*p_nominal[i]/base;
param qd{i in LOADS} >= 0.8*q_nominal[i]/base, <= 1.1*q_nominal[i]/base;

var pg{k in GENERATORS} >= 0, <= p_max[k]/base, := p_max[k]/base/2;
var qg{k in GENERATORS} >= -q_max[k]/base, <= q_max[k]/base, := 0;
var vm{BUSES} >= 0.9, <= 1.1, := 1;
var va{BUSES} := 0;                                     # radians

var p_flow{(i,j) in ENDS} =
    ge[i,j]*vm[i]^2 - vm[i]*vm[j]*(ge[i,j]*cos(va[i] - va[j]) + be[i,j]*sin(va[i] - va[j]));
var q_flow{(i,j) in ENDS} =
    -(be[i,j] + ce[i,j]/2)*vm[i]^2 - vm[i]*vm[j]*(ge[i,j]*sin(va[i] - va[j]) - be[i,j]*cos(va[i] - va[j]));

minimize cost: sum{k in GENERATORS} price[k]*base*pg[k];

subject to active {i in BUSES}:
    sum{(i,j) in ENDS} p_flow[i,j]
        = sum{k in GENERATORS: at[k] = i} pg[k] - (if i in LOADS then pd[i] else 0);

subject to reactive {i in BUSES}:
    sum{(i,j) in ENDS} q_flow[i,j]
        = sum{k in GENERATORS: at[k] = i} qg[k] - (if i in LOADS then qd[i] else 0);

subject to flow {(i,j) in ENDS: limit[i,j] > 0}: p_flow[i,j]^2 + q_flow[i,j]^2 <= limit[i,j]^2;

fix va[4] := 0;

data;

param: GENERATORS:  at  p_max  q_max  price :=
    Alta            1    40     30    14
    ParkCity        1   170    127.5  15
    Solitude        3   520    390    30
    Sundance        4   200    150    40
    Brighton        5   600    450    10;

param: LOADS:  p_nominal  q_nominal :=
    2          300         98.61
    3          300         98.61
    4          400        131.47;

param: BRANCHES:  r        x       charging  rate :=
    1 2           0.00281  0.0281  0.00712   400
    1 4           0.00304  0.0304  0.00658     0
    1 5           0.00064  0.0064  0.03126     0
    2 3           0.00108  0.0108  0.01852     0
    3 4           0.00297  0.0297  0.00674     0
    4 5           0.00297  0.0297  0.00674   240;
