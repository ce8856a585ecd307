# diet.mod - a diet model: indexed params with attributes, bounds given by params, two-sided rows, `param: S: a b :=`,
# a transposed table whose zeros are no nonzeros, names in quotes.
# linear
set FOOD;
set NUTR;
param cost {FOOD} > 0;
param f_min {FOOD} >= 0;
param f_max {j in FOOD} >= f_min[j];
param n_min {NUTR} >= 0;
param n_max {i in NUTR} >= n_min[i];
param amt {NUTR,FOOD} >= 0;
var Buy {j in FOOD} >= f_min[j], <= f_max[j];
minimize Total_Cost:  sum {j in FOOD} cost[j] * Buy[j];
subject to Diet {i in NUTR}:
   n_min[i] <= sum {j in FOOD} amt[i,j] * Buy[j] <= n_max[i];
data;
param: FOOD:   cost  f_min  f_max :=
  oats         0.85    1     12
  'soy milk'   1.10    0      8
  lentils      0.70    2     10
  spinach      1.45    0.5    6 ;
param: NUTR:  n_min  n_max :=
   iron         18    60
   protein      50   300
   C            45   900 ;
param amt (tr):
             iron  protein   C :=
   oats       4.7    16.9    0
   'soy milk' 1.5     7.0    0
   lentils    6.6    17.9    9
   spinach    0.8     0.9   30 ;
