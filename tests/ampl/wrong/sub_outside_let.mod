var x {1..3};
let x[9] := 1;
