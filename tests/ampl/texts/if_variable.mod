# if_variable.mod - conditions on variables: if without else, nested ifs, else if, and, or, not, relations of all kinds.
var x := 0.5;
var y := 1;
var z;
minimize f: if x >= 0 then x^2 else -x;
c1: (if x > 1 then z) + y <= 2;
c2: (if x < 1 and y > 0.2 then x*y else if z = 0 then z^2 else y*z) >= -1;
c3: if x <> y or not z >= 1 then sin(x) else cos(y) <= 3;
c4: (if x <= 0.3 then (if y <= 0.3 then x else y) else (if z <= 0.3 then z else x*z)) = 0;
c5: 2 * (if x == y then x else 3*z) + y >= 0;
c6: if x > 0 && !(y < 0) then log(x) else x >= -9;
