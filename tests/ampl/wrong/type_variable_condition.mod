var x;
c: sum {i in 1..3: x > 1} i <= 2;
