# columnwise.mod in the words of GNU MathProg: row by row.
set FOOD := {'bread', 'milk', 'eggs'};
set NEED := {'energy', 'protein'};
param least {NEED};
param price {FOOD};
param has {NEED, FOOD};
var left >= 0;
var Buy {f in FOOD} >= 0, <= 10;
var extra >= 0;
minimize money: sum {f in FOOD} price[f]*Buy[f] + 4;
s.t. enough {n in NEED}: sum {f in FOOD} has[n,f]*Buy[f] + (if n = 'protein' then 1)*extra >= least[n];
s.t. parts: 1 <= 3*sum {f in FOOD} Buy[f] <= 12;
s.t. together: left + 2*Buy['milk'] <= 5;
data;
param least := energy 20 protein 5;
param price := bread 2 milk 1.5 eggs 3;
param has: bread milk eggs := energy 9 4 3  protein 1 2 4;
end;
