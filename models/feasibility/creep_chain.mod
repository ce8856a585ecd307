# creep_chain.mod - a long chain: 200 links, each at most 1, whose end must be nearly as far as they allow.
#
# y[k] = k is feasible. A step that sees violated links only pulls a few at a time: the violation travels along the
# chain as heat does, and the number of steps grows with the square of its length.

param n := 200;

var y{0..n} := 0;

subject to first: y[0] = 0;
subject to link {k in 1..n}: y[k] - y[k-1] <= 1;
subject to last: y[n] >= n - 0.5;
