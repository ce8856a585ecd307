var x;
let x = 3;
