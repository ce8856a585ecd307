var x {1..3};
param p := x[1];
