var x;
c: x @ 1;
for {i in 1..2} { };
set S := 1..n;
