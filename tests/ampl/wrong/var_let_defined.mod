param p = 3;
var x >= p;
let p := 4;
