# opf57.mod - alternating-current optimal power flow on 57 buses: seven generators, 42 loads, 80 branches.
#
# The IEEE 57-bus test case, a part of the American Electric Power system in the early 1960s, with the limits and costs of
# the case57 of the package pypower (MATPOWER's): at the nominal loads the cheapest dispatch costs 41737.79 $/h. Polar form,
# per unit on 100 MVA. The case has no flow limits (its 9900 MVA stand for none). The network's inputs are the 84 loads.
#
# Branch from i to j with series admittance g + jb = 1/(r + jx), charging c, half at each end, and a transformer of ratio n
# at i (1 for a line); t = va[i] - va[j]:
#   at i:  active    g vm_i^2/n^2 - vm_i vm_j/n (g cos t + b sin t)
#          reactive  -(b + c/2) vm_i^2/n^2 - vm_i vm_j/n (g sin t - b cos t)
#   at j the same with j for i, but for the square's n, which is 1 there.

set BUSES := 1..57;
set GENERATORS within BUSES;                            # by their bus; the angle of bus 1 is 0
set LOADS within BUSES;
set SHUNTS within BUSES;
set BRANCHES within {1..80, BUSES, BUSES};              # numbered: 4-18 and 24-25 are there twice
set ENDS := BRANCHES union setof{(l,i,j) in BRANCHES} (l,j,i);      # each branch seen from either end

param base := 100;                                      # MVA
param p_min{GENERATORS};  param p_max{GENERATORS};      # MW
param q_min{GENERATORS};  param q_max{GENERATORS};      # MVAr
param c0{GENERATORS};  param c1{GENERATORS};  param c2{GENERATORS};   # $/h, of MW
param p_nominal{LOADS};  param q_nominal{LOADS};        # MW, MVAr
param q_shunt{SHUNTS};                                  # MVAr at 1 per unit
param r{BRANCHES};  param x{BRANCHES};  param charging{BRANCHES};  param ratio{BRANCHES};

param g{(l,i,j) in BRANCHES} := r[l,i,j]/(r[l,i,j]^2 + x[l,i,j]^2);
param b{(l,i,j) in BRANCHES} := -x[l,i,j]/(r[l,i,j]^2 + x[l,i,j]^2);
param ge{(l,i,j) in ENDS} := if (l,i,j) in BRANCHES then g[l,i,j] else g[l,j,i];
param be{(l,i,j) in ENDS} := if (l,i,j) in BRANCHES then b[l,i,j] else b[l,j,i];
param ce{(l,i,j) in ENDS} := if (l,i,j) in BRANCHES then charging[l,i,j] else charging[l,j,i];
param across{(l,i,j) in ENDS} := 1/(if (l,i,j) in BRANCHES then ratio[l,i,j] else ratio[l,j,i]);
param own{(l,i,j) in ENDS} := if (l,i,j) in BRANCHES then 1/ratio[l,i,j]^2 else 1;

# The loads, per unit: the network's inputs, from 90 to 110 per cent of nominal.
param pd{i in LOADS} >= 0.9*p_nominal[i]/base, <= 1.1*p_nominal[i]/base;
param qd{i in LOADS} >= 0.9*q_nominal[i]/base, <= 1.1*q_nominal[i]/base;

var pg{k in GENERATORS} >= p_min[k]/base, <= p_max[k]/base, := (p_min[k] + p_max[k])/(2*base);
var qg{k in GENERATORS} >= q_min[k]/base, <= q_max[k]/base, := (q_min[k] + q_max[k])/(2*base);
var vm{BUSES} >= 0.94, <= 1.06, := 1;
var va{BUSES} := 0;                                     # radians

var p_flow{(l,i,j) in ENDS} =
    ge[l,i,j]*own[l,i,j]*vm[i]^2
        - across[l,i,j]*vm[i]*vm[j]*(ge[l,i,j]*cos(va[i] - va[j]) + be[l,i,j]*sin(va[i] - va[j]));
var q_flow{(l,i,j) in ENDS} =
    -(be[l,i,j] + ce[l,i,j]/2)*own[l,i,j]*vm[i]^2
        - across[l,i,j]*vm[i]*vm[j]*(ge[l,i,j]*sin(va[i] - va[j]) - be[l,i,j]*cos(va[i] - va[j]));

minimize cost: sum{k in GENERATORS} (c2[k]*(base*pg[k])^2 + c1[k]*base*pg[k] + c0[k]);

subject to active {i in BUSES}:
    sum{(l,i,j) in ENDS} p_flow[l,i,j]
        = (if i in GENERATORS then pg[i] else 0) - (if i in LOADS then pd[i] else 0);

subject to reactive {i in BUSES}:
    sum{(l,i,j) in ENDS} q_flow[l,i,j]
        = (if i in GENERATORS then qg[i] else 0) - (if i in LOADS then qd[i] else 0)
            + (if i in SHUNTS then q_shunt[i]/base*vm[i]^2 else 0);

fix va[1] := 0;

data;

param: GENERATORS:  p_min  p_max   q_min  q_max  c2         c1  c0 :=
    1               0      575.88  -140   200    0.0775795  20  0
    2               0      100     -17    50     0.01       40  0
    3               0      140     -10    60     0.25       20  0
    6               0      100     -8     25     0.01       40  0
    8               0      550     -140   200    0.0222222  20  0
    9               0      100     -3     9      0.01       40  0
    12              0      410     -150   155    0.0322581  20  0;

param: LOADS:  p_nominal  q_nominal :=
    1          55         17
    2          3          88
    3          41         21
    5          13         4
    6          75         2
    8          150        22
    9          121        26
    10         5          2
    12         377        24
    13         18         2.3
    14         10.5       5.3
    15         22         5
    16         43         3
    17         42         8
    18         27.2       9.8
    19         3.3        0.6
    20         2.3        1
    23         6.3        2.1
    25         6.3        3.2
    27         9.3        0.5
    28         4.6        2.3
    29         17         2.6
    30         3.6        1.8
    31         5.8        2.9
    32         1.6        0.8
    33         3.8        1.9
    35         6          3
    38         14         7
    41         6.3        3
    42         7.1        4.4
    43         2          1
    44         12         1.8
    47         29.7       11.6
    49         18         8.5
    50         21         10.5
    51         18         5.3
    52         4.9        2.2
    53         20         10
    54         4.1        1.4
    55         6.8        3.4
    56         7.6        2.2
    57         6.7        2;

param: SHUNTS:  q_shunt :=
    18          10
    25          5.9
    53          6.3;

param: BRANCHES:   r       x       charging  ratio :=
    1   1   2          0.0083  0.028   0.129     1
    2   2   3          0.0298  0.085   0.0818    1
    3   3   4          0.0112  0.0366  0.038     1
    4   4   5          0.0625  0.132   0.0258    1
    5   4   6          0.043   0.148   0.0348    1
    6   6   7          0.02    0.102   0.0276    1
    7   6   8          0.0339  0.173   0.047     1
    8   8   9          0.0099  0.0505  0.0548    1
    9   9   10         0.0369  0.1679  0.044     1
    10  9   11         0.0258  0.0848  0.0218    1
    11  9   12         0.0648  0.295   0.0772    1
    12  9   13         0.0481  0.158   0.0406    1
    13  13  14         0.0132  0.0434  0.011     1
    14  13  15         0.0269  0.0869  0.023     1
    15  1   15         0.0178  0.091   0.0988    1
    16  1   16         0.0454  0.206   0.0546    1
    17  1   17         0.0238  0.108   0.0286    1
    18  3   15         0.0162  0.053   0.0544    1
    19  4   18         0       0.555   0         0.97
    20  4   18         0       0.43    0         0.978
    21  5   6          0.0302  0.0641  0.0124    1
    22  7   8          0.0139  0.0712  0.0194    1
    23  10  12         0.0277  0.1262  0.0328    1
    24  11  13         0.0223  0.0732  0.0188    1
    25  12  13         0.0178  0.058   0.0604    1
    26  12  16         0.018   0.0813  0.0216    1
    27  12  17         0.0397  0.179   0.0476    1
    28  14  15         0.0171  0.0547  0.0148    1
    29  18  19         0.461   0.685   0         1
    30  19  20         0.283   0.434   0         1
    31  21  20         0       0.7767  0         1.043
    32  21  22         0.0736  0.117   0         1
    33  22  23         0.0099  0.0152  0         1
    34  23  24         0.166   0.256   0.0084    1
    35  24  25         0       1.182   0         1
    36  24  25         0       1.23    0         1
    37  24  26         0       0.0473  0         1.043
    38  26  27         0.165   0.254   0         1
    39  27  28         0.0618  0.0954  0         1
    40  28  29         0.0418  0.0587  0         1
    41  7   29         0       0.0648  0         0.967
    42  25  30         0.135   0.202   0         1
    43  30  31         0.326   0.497   0         1
    44  31  32         0.507   0.755   0         1
    45  32  33         0.0392  0.036   0         1
    46  34  32         0       0.953   0         0.975
    47  34  35         0.052   0.078   0.0032    1
    48  35  36         0.043   0.0537  0.0016    1
    49  36  37         0.029   0.0366  0         1
    50  37  38         0.0651  0.1009  0.002     1
    51  37  39         0.0239  0.0379  0         1
    52  36  40         0.03    0.0466  0         1
    53  22  38         0.0192  0.0295  0         1
    54  11  41         0       0.749   0         0.955
    55  41  42         0.207   0.352   0         1
    56  41  43         0       0.412   0         1
    57  38  44         0.0289  0.0585  0.002     1
    58  15  45         0       0.1042  0         0.955
    59  14  46         0       0.0735  0         0.9
    60  46  47         0.023   0.068   0.0032    1
    61  47  48         0.0182  0.0233  0         1
    62  48  49         0.0834  0.129   0.0048    1
    63  49  50         0.0801  0.128   0         1
    64  50  51         0.1386  0.22    0         1
    65  10  51         0       0.0712  0         0.93
    66  13  49         0       0.191   0         0.895
    67  29  52         0.1442  0.187   0         1
    68  52  53         0.0762  0.0984  0         1
    69  53  54         0.1878  0.232   0         1
    70  54  55         0.1732  0.2265  0         1
    71  11  43         0       0.153   0         0.958
    72  44  45         0.0624  0.1242  0.004     1
    73  40  56         0       1.195   0         0.958
    74  56  41         0.553   0.549   0         1
    75  56  42         0.2125  0.354   0         1
    76  39  57         0       1.355   0         0.98
    77  57  56         0.174   0.26    0         1
    78  38  49         0.115   0.177   0.003     1
    79  38  48         0.0312  0.0482  0         1
    80  9   55         0       0.1205  0         0.94;
