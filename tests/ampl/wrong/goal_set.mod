set S := 1..3;
var x;
minimize f: S;
