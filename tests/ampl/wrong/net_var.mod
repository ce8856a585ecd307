node N;
var a >= 0, from N;
