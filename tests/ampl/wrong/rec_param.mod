param p {i in 1..2} := p[3-i] + 1;
var x;
c: p[1]*x <= 1;
