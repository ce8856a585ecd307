set S ordered := {};
var x;
c: x <= first(S);
