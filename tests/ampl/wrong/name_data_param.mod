var x;
data;
param rate := 3;
