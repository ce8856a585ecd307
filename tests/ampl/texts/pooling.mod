# pooling.mod - a pooling network: bilinear quality balances, sets of arcs built from a table, products of variables in sums.
set S;  set P;  set T;
set IN within {S, P};
set OUT := P cross T;
param sulphur {S};  param price {S};  param limit {T};  param sale {T};  param demand {T};
var x {IN} >= 0;
var y {OUT} >= 0;
var q {P} >= 0, <= 3;
minimize cost: sum {(s,p) in IN} price[s]*x[s,p] - sum {(p,t) in OUT} sale[t]*y[p,t];
volume {p in P}: sum {(s,p) in IN} x[s,p] = sum {(p,t) in OUT} y[p,t];
quality {p in P}: sum {(s,p) in IN} sulphur[s]*x[s,p] = q[p] * sum {t in T} y[p,t];
blend {t in T}: sum {p in P} q[p]*y[p,t] <= limit[t] * sum {p in P} y[p,t];
most {t in T}: sum {p in P} y[p,t] <= demand[t];
data;
param: S: sulphur price := crude 3 6  sweet 1 16  gas 2 10;
set P := pool tank;
set IN : pool tank := crude + - sweet + - gas - +;
param: T: limit sale demand := reg 2.5 9 100  super 1.5 15 200;
