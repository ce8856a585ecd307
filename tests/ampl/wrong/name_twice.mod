var x;
param x := 3;
