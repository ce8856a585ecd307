# logarithm.mod - numbers whose geometric mean would have to be above their arithmetic mean; log has no value below 0.
#
# Proof: log is concave, so (log y1 + log y2 + log y3)/3 <= log((y1 + y2 + y3)/3) <= log 1 = 0 by the second row, but the
# first asks for a sum of 1.

var y{1..3} := 0.2;

subject to product: log(y[1]) + log(y[2]) + log(y[3]) >= 1;
subject to total: y[1] + y[2] + y[3] <= 3;
