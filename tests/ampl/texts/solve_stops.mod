# solve_stops.mod - reading stops at the first solve: what follows is skipped with a note, whatever it is.
var x >= 0 := 2;
var y;
minimize f: (x - 3)^2 + y^2;
c: x*y = 1;
solve;
display x, y;
for {i in 1..3} { let x := i; solve; }
var x;   # a second declaration, junk and an open string would all be errors: @ $ ' "
let x := 99;
