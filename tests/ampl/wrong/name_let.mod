var x;
let q := 3;
