set S := {1} union {(2,3)};
var x {S};
