var x;
c: x @ 1;
for {i in 1..2} { shell "x"; };
set S := 1..n;
