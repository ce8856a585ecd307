# columnwise.mod - obj, coeff, cover and to_come: the columns of a linear programme, one after the other.
# linear
set FOOD := {'bread', 'milk', 'eggs'};
set NEED := {'energy', 'protein'};
param least {NEED};
param price {FOOD};
param has {NEED, FOOD};
minimize money: to_come + 4;
maximize variety;                      # the first objective counts
subject to enough {n in NEED}: to_come >= least[n];
subject to parts: 1 <= 3*to_come <= 12;
var left >= 0;
subject to together: left <= 5;        # columns come behind what is written
var Buy {f in FOOD} >= 0, <= 10, obj money price[f], coeff {n in NEED} enough[n] has[n,f],
    cover parts, coeff together if f = 'milk' then 2 else 0;
var extra >= 0, cover {n in NEED: n = 'protein'} enough[n], obj variety 1;
data;
param least := energy 20 protein 5;
param price := bread 2 milk 1.5 eggs 3;
param has: bread milk eggs := energy 9 4 3  protein 1 2 4;
