param z >= 3, <= 1;
var x >= z;
