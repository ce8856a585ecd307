param N;
var x {1..N};
