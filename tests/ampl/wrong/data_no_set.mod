set S;
var x {S};
