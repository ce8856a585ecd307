# constants.mod - constants inside rows, on both sides and in brackets: they stay where they are written or become bounds.
param k := 4;
var x;
var y;
c1: x + 1 <= 3;
c2: 3 >= x + y - 1;
c3: k - 1 <= 2*x - y + k <= k^2;
c4: x + 2 = y + k;
c5: 10 >= x - y >= -10;
c6: 2*(x + 3) - 6 >= y / 2;
c7: k = x*y;
c8: 0 = x - 3*y;
