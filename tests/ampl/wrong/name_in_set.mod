set S := 1..n;
var x {S};
