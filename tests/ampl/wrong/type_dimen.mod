set S dimen 2 := 1..3;
var x {S};
