# crlf.mod - lines that end as on Windows, in code, comments, data and texts over several statements.
param n := 2;
param s {1..n} symbolic;
param a {1..n};
/* a comment
   over two lines */
var x {1..n} >= 0;
minimize f:
	sum {i in 1..n}
	a[i]*x[i]^2;
c {i in 1..n: s[i] = 'on'}: x[i] >= i;
data;
param s := 1 on
2 on
;
param: a :=
1 3
2 4
;
solve;
