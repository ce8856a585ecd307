set S := 1 ..;
var x {S};
