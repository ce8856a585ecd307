param p in integer [0, 9] := 1.5;
var x <= p;
