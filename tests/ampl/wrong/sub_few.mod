param p {1..2, 1..2} default 1;
var x;
c: p[1]*x <= 1;
