param u;
var x;
if u > 1 then let x := 3;
