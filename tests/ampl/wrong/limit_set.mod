set S := setof {i in 1..1e8} i^2;
var x {S};
