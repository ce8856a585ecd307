var x;
big: sum {i in 1..1e5, j in 1..1e5} i*j*x <= 1;
