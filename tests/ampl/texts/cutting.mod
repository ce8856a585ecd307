# cutting.mod - patterns in a table with dots for the default 0: sums over a range, integer params, rows >=, `.` in data.
# linear
param roll := 110;
set WIDTHS := {20, 45, 50};
param orders {WIDTHS} > 0;
param nPAT integer >= 0;
param nbr {WIDTHS, 1..nPAT} integer >= 0, default 0;
check {j in 1..nPAT}: sum {i in WIDTHS} i * nbr[i,j] <= roll;
var Cut {1..nPAT} >= 0;
minimize Number: sum {j in 1..nPAT} Cut[j];
s.t. Fill {i in WIDTHS}: sum {j in 1..nPAT} nbr[i,j] * Cut[j] >= orders[i];
data;
param nPAT := 4;
param orders := 20 48  45 35  50 24;
param nbr:  1  2  3  4 :=
     20     5  .  1  3
     45     .  2  2  .
     50     .  .  .  1 ;
end;
