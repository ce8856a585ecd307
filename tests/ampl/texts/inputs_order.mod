# inputs_order.mod - network inputs: params without a value, in the order of declaration, last index fastest; others have values.
set S := {'p', 'q'};
param b {S, 1..2};
param known {1..2} := 5;
param a;
param given {S};
param part {S} default 2;
var x {S};
minimize f: sum {s in S} (x[s] - a)^2;
c1 {s in S}: b[s,1]*x[s] <= b[s,2] + known[1];
c2: sum {s in S} given[s]*x[s] = a*part['p'];
data;
param given := p 1.5 q 2.5;
