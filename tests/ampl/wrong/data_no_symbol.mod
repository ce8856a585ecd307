param s symbolic;
param p {1..2} := 1;
var x;
c: x <= if s = 'a' then 1 else 2;
