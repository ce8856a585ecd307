var x {1..2};
c {i in 1..2, i in 1..2}: x[i] <= 1;
