param n := 3;
set S := 1..n;
