set S ordered by Integers := {3, 1.5, 1};
var x {S};
