param u;
param n default 0;
var x <= u;
for {i in 1..n} let u := i;
