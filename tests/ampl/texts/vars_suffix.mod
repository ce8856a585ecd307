# vars_suffix.mod - bounds and start values of variables as numbers: x.lb, x.ub, their variants, x.val, x.init.
param u >= 1, <= 3;
set S := {'a', 'b'};
var x {i in 1..3} >= -i, <= i*u := i/2;
var y {S} >= 0.5 := 4;
var z <= 9;
param middle {i in 1..3} := (x[i].lb + x[i].ub0)/2;
set WIDE := {i in 1..3: x[i].lb2 < -1};
minimize f: sum {i in 1..3} (x[i] - middle[i])^2 + (z - y['b'].val)^2;
inside {i in WIDE, s in S}: x[i] + y[s] <= x[i].ub1 - y[s].lb1;
top: z <= min(z.ub, y['a'].ub, 100) - x[2].init0;
let y['b'] := 1 + z.ub + y['b'].init;
