param p := p + 1;
var x >= p;
