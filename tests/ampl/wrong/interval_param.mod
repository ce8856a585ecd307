param p in interval [0, 1) := 1;
var x <= p;
