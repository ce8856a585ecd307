var x {1..3};
c: sum {i in 1..3} x[i] + i <= 1;
