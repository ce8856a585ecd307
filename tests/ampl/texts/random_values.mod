# random_values.mod - random functions in params, sets, starts, rows and commands, drawn from a stated seed.
set P := {'east', 'west'};
param early {p in P} := Uniform(10, 20);       # before any seed: drawn from the first one
option solver none, randseed 77;
param cost {i in 1..3, p in P} := round(Uniform(1, 100));
param noise {i in 1..3} = Normal(5, 0.5) + Normal01();
param whole := Irand224();
set S := {i in 1..12: Uniform01() < 0.5};
var x {i in S} >= 0 := Exponential();
var y {1..3, P} >= 0 := Cauchy();
minimize f: sum {i in S} Uniform(1, 2)*x[i]^2 + sum {i in 1..3, p in P} cost[i,p]*y[i,p];
c {i in 1..3}: sum {p in P} y[i,p] >= noise[i];
d: sum {i in S} x[i] + early['east']*y[1,'east'] + early['west']*y[1,'west'] <= whole;
option randseed '5';
let {p in P} y[2,p] := Uniform01();
let y[3,'west'] := Uniform01();
