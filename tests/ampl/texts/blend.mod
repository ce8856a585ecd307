# blend.mod - a blend with quality limits: two-sided rows with params on both ends, a row with a coefficient in brackets,
# rows with constants inside, scalar variables.
# linear
param octane {1..3};
param lo := 87;  param hi := 92;
param sulphur {i in 1..3} := 0.4 / i;
var x {1..3} >= 0;
var spill >= 0, <= 5;
maximize Margin: 3*x[1] + 2.5*x[2] + 2*x[3] - 10*spill + 100;
Volume: sum {i in 1..3} x[i] + spill = 60;
Octane: 0 <= sum {i in 1..3} (octane[i] - lo) * x[i];
Cap: sum {i in 1..3} (octane[i] - hi) * x[i] <= 0;
Sulphur: -10 <= sum {i in 1..3} (sulphur[i]*x[i] - 0.1*x[i]) <= 2;
Share {i in 1..2}: x[i] <= 0.5 * (x[1] + x[2] + x[3]);
data;
param octane := 1 98  2 87  3 79;
end;
after it, this is no model: "neither read nor refused
