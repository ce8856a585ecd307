var x;
var y >= if 1 < 2 > 0 then 1;
