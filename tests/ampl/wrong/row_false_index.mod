var x {1..3};
c {i in 1..3}: sum {j in i..1} x[j] >= i - 1;
