set S := {1, (2,3)};
var x {S};
