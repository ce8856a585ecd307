# pooling.mod - Haverly's pooling network: two crudes share a pool, one passes it by, two products limit their sulphur.
#
# After C. A. Haverly, "Studies of the behavior of recursion for the pooling problem", SIGMAP Bulletin 25 (1978), in
# the form that KKT-HardNet learns from data: what enters the pool and what leaves as product is given; the pool's
# sulphur and the four flows between are sought. The products of quality and flow make it nonconvex.
#
#   crude A (3 % sulphur) --+                  +--> product X (at most 2.5 %)
#                           +--> pool ---------+
#   crude B (1 % sulphur) --+                  +--> product Y (at most 1.5 %)
#                               crude C (2 %) -- to X and Y, past the pool
#
# Every sample of the box below is feasible. With S = feed[A] + feed[B] the pool has q = (3 feed[A] + feed[B])/S, here
# at most 1.4; X keeps its limit whatever it takes, and Y does when it takes at least demand[Y]/(2 (2 - q)) from the
# pool. That is at most demand[Y], because q <= 1.5, and at most S, because demand[Y] <= 2 (feed[B] - feed[A]) = 2 S
# (2 - q); and S <= demand[X] + demand[Y] leaves room for the rest of the pool in X. The objective shares the quality
# that is given away evenly between the products.

set CRUDES;                                             # into the pool
set PRODUCTS;

param sulphur{CRUDES};                                  # per cent
param bypass_sulphur;
param limit{PRODUCTS};
param feed_lo{CRUDES};  param feed_hi{CRUDES};
param demand_lo{PRODUCTS};  param demand_hi{PRODUCTS};

param feed{c in CRUDES} >= feed_lo[c], <= feed_hi[c];               # inputs of the network: hundreds of barrels
param demand{p in PRODUCTS} >= demand_lo[p], <= demand_hi[p];

var quality := 2;                                       # per cent of sulphur in the pool
var pooled{p in PRODUCTS} >= 0, := demand[p]/2;         # from the pool to each product
var bypass{p in PRODUCTS} >= 0, := demand[p]/2;         # crude C to each product

var content{p in PRODUCTS} = quality*pooled[p] + bypass_sulphur*bypass[p];

minimize giveaway: sum{p in PRODUCTS} (limit[p]*demand[p] - content[p])^2;

subject to pool_balance: sum{p in PRODUCTS} pooled[p] = sum{c in CRUDES} feed[c];
subject to blend {p in PRODUCTS}: pooled[p] + bypass[p] = demand[p];
subject to pool_quality:
    quality*sum{p in PRODUCTS} pooled[p] = sum{c in CRUDES} sulphur[c]*feed[c];
subject to product_quality {p in PRODUCTS}: content[p] <= limit[p]*demand[p];

data;

param: CRUDES:  sulphur  feed_lo  feed_hi :=
    A           3        0.00     0.15
    B           1        0.60     1.00;

param: PRODUCTS:  limit  demand_lo  demand_hi :=
    X             2.5    0.80       1.20
    Y             1.5    0.40       0.80;

param bypass_sulphur := 2;
