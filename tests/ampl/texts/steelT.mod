# steelT.mod - production over weeks: variables on both sides, a subscript t-1, a range 0..T, maximize, sums of differences.
# linear
set PROD;
param T > 0;
param rate {PROD} > 0;
param inv0 {PROD} >= 0;
param avail {1..T} >= 0;
param market {PROD,1..T} >= 0;
param prodcost {PROD} >= 0;
param invcost {PROD} >= 0;
param revenue {PROD,1..T} >= 0;
var Make {PROD,1..T} >= 0;
var Inv {PROD,0..T} >= 0;
var Sell {p in PROD, t in 1..T} >= 0, <= market[p,t];
maximize total_profit:
   sum {p in PROD, t in 1..T} (revenue[p,t]*Sell[p,t] -
      prodcost[p]*Make[p,t] - invcost[p]*Inv[p,t]);
subject to time_limit {t in 1..T}:
   sum {p in PROD} (1/rate[p]) * Make[p,t] <= avail[t];
subject to initial {p in PROD}:  Inv[p,0] = inv0[p];
subject to balance {p in PROD, t in 1..T}:
   Make[p,t] + Inv[p,t-1] = Sell[p,t] + Inv[p,t];
data;
param T := 3;
set PROD := rods wire;
param avail :=  1 40  2 40  3 32 ;
param rate :=  rods 200   wire 140 ;
param inv0 :=  rods  10   wire   0 ;
param prodcost := rods 10  wire 11 ;
param invcost  := rods 2.5 wire 3 ;
param revenue:   1    2    3 :=
        rods    25   26   27
        wire    30   35   37 ;
param market:    1     2     3 :=
        rods  6000  6000  4000
        wire  4000  2500  3500 ;
end;
