# portfolio.mod - what to hold of ten assets: expected return against risk, with limits on both.
#
# H. Markowitz, "Portfolio Selection", Journal of Finance 7 (1952), with a risk of three factors and
# a part of each asset's own:
#
#     variance(w) = |F' w|^2 + sum_i own_i^2 w_i^2
#
# The variance may not exceed a limit that is an input, no asset may take more than a quarter of the
# capital, no sector more than 60 per cent. Numbers are yearly, in per cent where they are returns.
# They are invented.
#
#   in    expected    return of each asset, per cent
#         volatility  largest standard deviation of the whole, per cent
#   out   weight      share of the capital in each asset

set ASSETS := 1..10;
set FACTORS := 1..3;
set SECTORS := 1..3;
param sector{ASSETS};
param exposure{ASSETS, FACTORS};                    # per cent for one standard deviation of the factor
param own{ASSETS};                                  # standard deviation of what no factor explains, per cent
param aversion := 0.04;                             # per cent of return given up for a variance of 1

param expected{ASSETS} >= 3, <= 12;
param volatility >= 11, <= 16;

var weight{ASSETS} >= 0, <= 0.25, := 0.1;

var variance = sum{f in FACTORS} (sum{i in ASSETS} exposure[i,f]*weight[i])^2
             + sum{i in ASSETS} own[i]^2*weight[i]^2;

maximize utility: sum{i in ASSETS} expected[i]*weight[i] - aversion/2*variance;

subject to capital: sum{i in ASSETS} weight[i] = 1;
subject to risk: variance <= volatility^2;
subject to spread {s in SECTORS}: sum{i in ASSETS: sector[i] = s} weight[i] <= 0.6;

data;

param exposure:  1    2    3 :=
     1          16    4    0
     2          14   -3    5
     3          18    6    2
     4          12    0   -6
     5           9   -7    1
     6          11    5    7
     7          20    8   -3
     8           7   -2    4
     9          13    1    9
    10           8   -6   -5;

param:    sector  own :=
     1    1       10
     2    1        8
     3    1       14
     4    1        9
     5    2        6
     6    2       11
     7    2       15
     8    3        5
     9    3       12
    10    3        7;
