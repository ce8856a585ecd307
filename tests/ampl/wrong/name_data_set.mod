set S;
var x {S};
data;
set S := a b;
set T := a;
