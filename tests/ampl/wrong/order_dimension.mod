set T := {1, 2};
set S dimen 2 ordered by T;
var x {S};
data;
set S := (1,2) (2,1);
