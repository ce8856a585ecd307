param k;
param p {1..2} := 1;
var x;
c: p[k]*x <= 1;
