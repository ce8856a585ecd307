# collocation.mod - in the manner of COPS: orthogonal collocation with three roots in a table, factorials as params, sums of powers.
param nc := 2;  param nh := 2;
param rho {1..nc};
param tf := 1.5;
param h := tf/nh;
param fact {j in 0..nc} := if j = 0 then 1 else (prod {i in 1..j} i);
var v {1..nh};
var w {1..nh, 1..nc};
var theta {1..2} >= 0;
var u {i in 1..nh, j in 1..nc} = v[i] + h*sum {k in 1..nc} w[i,k]*(rho[j]^k/fact[k]);
var Du {i in 1..nh, j in 1..nc} = sum {k in 1..nc} w[i,k]*(rho[j]^(k-1)/fact[k-1]);
minimize misfit: sum {i in 1..nh} (v[i] - exp(-i))^2;
colloc {i in 1..nh, j in 1..nc}: Du[i,j] = -(theta[1] + theta[2])*u[i,j]^2;
continuity {i in 1..nh-1}: v[i] + sum {j in 1..nc} (w[i,j]*h/fact[j]) = v[i+1];
start: v[1] = 1;
data;
param rho := 1 0.211324865405  2 0.788675134595;
