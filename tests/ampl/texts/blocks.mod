# blocks.mod - for, repeat, while and if over let, fix and drop: nested, named, broken off, over sets that change on the way.
set S default {};
set T := 1..6;
param n default 1;
param a {T} default 0;
param twice {i in T} := 2*a[i];              # computed again after every let
param fib {i in T} default 1;
var x {i in T} := i/10;
var y >= 0;
minimize f: sum {i in T} (x[i] - twice[i])^2 + n*y;
c {i in S}: x[i] + y >= fib[i];
d {i in T}: x[i] <= 100;
for {i in T} {
    if i mod 2 = 0 then { let a[i] := i^2; let S := S union {i}; }
    else if i = 3 then let a[i] := -1;
    else { let a[i] := twice[i-i+2]; print a[i]; display S, T; }
}
for {i in T: i > 2} let fib[i] := fib[i-1] + fib[i-2];
repeat { let n := 3*n; if n > 20 then break; };                # 27
repeat while n < 60 { let n := n + 7; } until n mod 5 = 0;     # 34, 41, 48, 55: until
while n > 50 { let n := n - 2; }                               # 49
for outer {i in T} {
    for {j in T} {
        if j > i then continue outer;
        if i*j = 9 then break outer;
        let y := y + i*j;                                      # 1 + 2 + 4 + 3 + 6
    }
}
for {i in S} { let S := S diff {2}; if i in S then fix x[i] := x[i].val + i; }
for {i in T, j in {2, 5}: i = j} drop d[i];
if n = 49 then { drop d[1]; restore d[5]; } else drop c;
if exists {i in T} a[i] = 1e9 then drop d;
