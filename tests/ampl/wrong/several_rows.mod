var x;
a: x + q <= 1;
b: x <;
c: x <= 2;
d: r[1] <= x;
