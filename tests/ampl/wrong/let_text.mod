param N := 2;
var x {1..N};
