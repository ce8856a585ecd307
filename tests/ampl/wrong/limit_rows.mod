var x;
many {i in 1..1e6}: i*x^2 + sin(i*x) <= 1;
