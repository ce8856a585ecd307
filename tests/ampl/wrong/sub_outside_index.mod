var x {1..3};
c {i in 1..3}: x[i] <= x[i+1];
