var x {1..3};
c {i in 1..3}: i <= x[i] <= 2;
