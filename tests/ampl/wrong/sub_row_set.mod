set S := {'a', 'b'};
var x {S[1]};
