param n default 0;
var x;
repeat while n >= 0 { let n := n + 1; };
