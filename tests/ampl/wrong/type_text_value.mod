param p := 'a';
var x;
c: x <= p;
