var x;
data;
param x := 3;
