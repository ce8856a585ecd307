# skipped.mod - reset before any declaration, then commands that say something and change nothing: each is skipped with a note.
reset;
option solver 'ipopt';
option ipopt_options "max_iter=50 tol=1e-8", show_stats 1;
var x {1..2} >= 0;
minimize f: x[1]^2 + x[2]^2;
c: x[1] + x[2] >= 1;
display x, f;
print "x;y", x[1];
printf "%5.2f; %s\n", x[1], 'done';
printf {i in 1..2}: "%d\n", x[i];
write mskipped;
close;
expand c;
show x;
suffix priority;
let x[1].priority := 3;
