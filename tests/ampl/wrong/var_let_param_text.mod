param p := 1;
var x >= p;
let p := 'many';
