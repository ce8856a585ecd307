var x;
c {i in 1..2}: x <= i;
drop c[3];
