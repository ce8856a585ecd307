# fitting.mod - a least-squares fit of exponentials to measurements in a table, with residuals as defined variables.
set OBS;
param t {OBS};
param y {OBS};
param weight {OBS} default 1;
var b {1..4};
var r {i in OBS} = b[1]*exp(-b[2]*t[i]) + b[3]/(1 + b[4]*t[i]^2) - y[i];
minimize ssq: sum {i in OBS} weight[i]*r[i]^2;
robust {i in OBS: weight[i] > 1}: abs(r[i]) <= 0.5;
decay: b[2]*b[4] >= 0.01;
data;
param: OBS: t y :=
  1  0.0  3.1
  2  0.5  2.2
  3  1.0  1.7
  4  2.0  1.0
  5  4.0  0.45 ;
param weight := 3 2  5 4 ;
var b := 1 2.0  2 1.1  3 0.9  4 0.8 ;
