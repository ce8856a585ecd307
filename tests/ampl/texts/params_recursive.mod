# params_recursive.mod - params in terms of themselves: factorials, Fibonacci numbers, binomials, a chain that runs backwards.
param n := 6;
param fact {k in 0..n} := if k = 0 then 1 else k * fact[k-1];
param fib {k in 1..n} := if k <= 2 then 1 else fib[k-1] + fib[k-2];
param binom {i in 0..n, j in 0..i} := if j = 0 or j = i then 1 else binom[i-1,j-1] + binom[i-1,j];
param back {k in 1..n} := if k = n then 1 else 2*back[k+1];
param e := sum {k in 0..n} 1/fact[k];
var b {0..n} >= 0;
var t >= 0, <= 1, := e - 2.5;
minimize f: sum {k in 1..n} fib[k]*b[k] + b[0] + back[1]*t;
poly {k in 0..n}: b[k] = binom[n,k] * t^k * (1 - t)^(n-k);
total: sum {k in 0..n} b[k] = 1;
