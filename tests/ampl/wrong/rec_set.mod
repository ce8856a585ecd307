set S {i in 1..2} := S[3-i] union {i};
var x {S[1]};
