# network.mod - node and arc: net_in, net_out, two-sided, without a condition, gains, several ends, an index before them.
# linear
set CITIES := {'A', 'B', 'C'};
set LINKS within {CITIES, CITIES} := {('A','B'), ('A','C'), ('B','C'), ('C','A')};
param demand {CITIES};
param loss {(i,j) in LINKS} default 0.1;
param cost {LINKS};
minimize expense;
node Plant: 2 <= net_out <= 9;
node City {c in CITIES}: net_in = demand[c];
node Hub;
node Store: net_in + 1 >= 3;
arc Make >= 0, <= 8, from Plant, to Hub, obj expense 2;
arc Send {c in CITIES} >= 0, from Hub, to City[c], obj expense (if c = 'A' then 1 else 1.5);
arc Ship {(i,j) in LINKS} >= 0, <= 4, from City[i], to City[j] 1 - loss[i,j] obj expense cost[i,j];
arc Share := 1, from Hub 2, to {c in CITIES: c <> 'B'} City[c] 0.75, to Store 0.5;
arc Spare from City['C'] to Store;
data;
param demand := A 1 B 2.5 C -0.5;
param loss := A C 0.2;
param cost := A B 3  A C 4  B C 5  C A 6;
