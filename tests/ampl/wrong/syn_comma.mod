set S := {1, 2, };
var x {S};
