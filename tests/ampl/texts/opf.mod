# opf.mod - a small power flow in polar coordinates: admittances computed from line data, balances with cos and sin of angle differences.
set BUS ordered := 1..3;
set LINE := {(1,2), (2,3), (1,3)};
param r {LINE};  param x {LINE};
param g {(i,j) in LINE} := r[i,j]/(r[i,j]^2 + x[i,j]^2);
param b {(i,j) in LINE} := -x[i,j]/(r[i,j]^2 + x[i,j]^2);
param load {BUS};                          # the network's input
var V {BUS} >= 0.9, <= 1.1, := 1;
var th {BUS};
var p {1..2} >= 0, <= 2;
var flow {(i,j) in LINE} = g[i,j]*V[i]^2 - V[i]*V[j]*(g[i,j]*cos(th[i] - th[j]) + b[i,j]*sin(th[i] - th[j]));
var flow_back {(i,j) in LINE} = g[i,j]*V[j]^2 - V[i]*V[j]*(g[i,j]*cos(th[i] - th[j]) - b[i,j]*sin(th[i] - th[j]));
minimize fuel: sum {k in 1..2} (0.1*k*p[k]^2 + p[k]);
balance {i in BUS}: (if i <= 2 then p[i]) - load[i]
   = sum {(i,j) in LINE} flow[i,j] + sum {(j,i) in LINE} flow_back[j,i];
thermal {(i,j) in LINE}: -0.8 <= flow[i,j] <= 0.8;
fix th[first(BUS)] := 0;
data;
param: r x := 1 2 0.02 0.1  2 3 0.03 0.12  1 3 0.01 0.08;
