set S := {'a', 'b'};
param p {S} := 2;
var x;
c: p['c']*x <= 1;
