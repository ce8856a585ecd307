var x;
var d {i in 1..2} = x + d[3-i];
c: d[1] <= 1;
