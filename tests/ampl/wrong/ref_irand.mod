param r := Irand224();
var x >= r;
