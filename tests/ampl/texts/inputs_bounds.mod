# inputs_bounds.mod - inputs in bounds, starts, fixed values, both ends of rows, computed params and defined variables.
param p {1..2};
param q >= 0;
param mean := (p[1] + p[2])/2;
param w {i in 1..2} := p[i] - mean + (if q > 1 then 1 else 0);
var x {i in 1..2} >= -q, <= q + i, := p[i];
var y >= if mean > 0 then 0 else -1;
var z := 3*q;
var energy = sum {i in 1..2} (x[i] - p[i])^2;
minimize f: energy + w[1]*y;
c1: -q <= x[1] - x[2] <= 2*q;
c2: energy <= max(q, 1)^2;
c3 {i in 1..2}: x[i]*z >= w[i];
c4: mean = y + z;
fix z := mean*2;
let y := q^2;
