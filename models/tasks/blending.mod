# blending.mod - three products are blended from two tanks of mixed feeds and one clean feed, at least cost.
#
# A small pooling problem in the manner of C. A. Haverly, "Studies of the behavior of recursion for
# the pooling problem", SIGMAP Bulletin 25 (1978): feeds lose their identity in a tank, so that what
# leaves it has one quality, and quality times flow makes the problem nonconvex. Which tank takes the
# cheap feed and which stays clean is decided by prices and demands; solvers find one of several optima.
#
#   feeds A, B --> tank 1 --+
#                           +--> products X, Y, Z, each with a limit of its own
#   feeds B, C --> tank 2 --+
#   clean feed D -----------+
#
# Every input is feasible: a tank may be filled to its least throughput with feed B or C and emptied
# into the product that allows it, and D does the rest.
#
#   in    demand, price     of products and of feeds
#   out   fed               feed into tank;  quality  of what a tank holds, per cent of sulphur
#         drawn, bypass     from tank, from clean feed, into product

set TANKS := 1..2;
set FEEDS;
set INTO within {FEEDS, TANKS};
set PRODUCTS;
param clean := 0.4;                                 # per cent of sulphur in the clean feed
param sulphur{FEEDS};
param limit{PRODUCTS};                              # per cent
param throughput := 0.3;                            # least, of a tank
param price_lo{FEEDS};  param price_hi{FEEDS};
param demand_lo{PRODUCTS};  param demand_hi{PRODUCTS};

param demand{p in PRODUCTS} >= demand_lo[p], <= demand_hi[p];
param price{f in FEEDS} >= price_lo[f], <= price_hi[f];
param clean_price >= 14, <= 20;

var fed{(f,t) in INTO} >= 0, <= 4, := 0.5;
var quality{TANKS} >= 0.5, <= 3, := 1.5;
var drawn{TANKS, p in PRODUCTS} >= 0, := demand[p]/3;
var bypass{p in PRODUCTS} >= 0, := demand[p]/3;

minimize cost: sum{(f,t) in INTO} price[f]*fed[f,t] + sum{p in PRODUCTS} clean_price*bypass[p];

subject to balance {t in TANKS}: sum{(f,t) in INTO} fed[f,t] = sum{p in PRODUCTS} drawn[t,p];
subject to least {t in TANKS}: sum{(f,t) in INTO} fed[f,t] >= throughput;
subject to mixed {t in TANKS}:
    quality[t]*sum{p in PRODUCTS} drawn[t,p] = sum{(f,t) in INTO} sulphur[f]*fed[f,t];
subject to blend {p in PRODUCTS}: sum{t in TANKS} drawn[t,p] + bypass[p] = demand[p];
subject to product_quality {p in PRODUCTS}:
    sum{t in TANKS} quality[t]*drawn[t,p] + clean*bypass[p] <= limit[p]*demand[p];

data;

param: FEEDS:  sulphur  price_lo  price_hi :=
    A          3.0       4         7
    B          1.8       7        11
    C          1.0      10        15;

set INTO := (A,1) (B,1) (B,2) (C,2);

param: PRODUCTS:  limit  demand_lo  demand_hi :=
    X             2.2    0.6        1.4
    Y             1.4    0.6        1.4
    Z             0.9    0.6        1.4;
