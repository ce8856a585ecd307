set S ordered by Reals := {3, 'a', 1};
var x {S};
