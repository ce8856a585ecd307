set S;
var x {S};
data;
set S := a b c b;
