# knapsack.mod - integer variables with bounds of their own, read with relaxed integrality.
# linear
set ITEMS;
param value {ITEMS};
param weight {ITEMS};
param copies {ITEMS} integer, >= 1, default 2;
param room := 15;
var take {i in ITEMS} integer >= 0, <= copies[i];
maximize worth: sum {i in ITEMS} value[i]*take[i];
s.t. fits: sum {i in ITEMS} weight[i]*take[i] <= room;
data;
param: ITEMS: value weight := tent 12 4, stove 2 2, rope 1 1, lamp 4 10;
param copies := rope 9;
end;
