# logistic.mod - logistic regression with a norm bound: log(1 + exp()), a sum within a function, a set of features, a quadratic cone.
set F := {'age', 'dose', 'one'};
param m := 4;
param X {1..m, F};
param label {1..m} in {-1, 1};
param radius := 2;
var w {F};
var s {1..m} >= 0;
minimize loss: sum {i in 1..m} log(1 + exp(-label[i] * sum {f in F} X[i,f]*w[f])) / m + 0.1*sum {i in 1..m} s[i];
ball: sqrt(0.01 + sum {f in F: f <> 'one'} w[f]^2) <= radius;
margin {i in 1..m}: label[i] * (sum {f in F} X[i,f]*w[f]) >= 1 - s[i];
data;
param X: age dose one :=
  1  0.5  1.0  1
  2 -0.3  0.2  1
  3  0.8 -0.4  1
  4 -0.6 -0.9  1 ;
param label := 1 1  2 -1  3 1  4 -1;
