set A dimen 2;
var y {A};
data;
set A := 1 2  3;
