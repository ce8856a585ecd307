# objectives.mod - several objectives: the first counts, here one that is maximised, and the others are noted.
var x >= 0, <= 4 := 1;
var y >= 0 := 2;
maximize profit: 3*x + 2*y - x^2;
minimize waste: x + y^2;
maximize other {i in 1..2}: i*x;
limit: x + y <= 5;
