set S := 1..3;
var x;
c: S + x <= 1;
