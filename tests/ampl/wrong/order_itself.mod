set S ordered by {i in S: i > 1};
var x {S};
data;
set S := 1 2;
