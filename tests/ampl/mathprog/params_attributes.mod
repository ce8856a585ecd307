# params_attributes.mod - without = for a value.
param n integer > 0, <= 20 := 6;
param even {i in 1..n} binary := if i mod 2 = 0 then 1 else 0;
param share > 0 < 1 default .25;
param gap <> 0 := -3;
param level in {10, 20, 30} := 20;
param mode symbolic in {'fast', 'slow'} default 'slow';
param cap {1..n} >= 0 <= 100 default n^2;
param half := n / 2;
param odd {i in 1..n} integer >= 0, <= n, := n + 1 - i;
param name {1..2} symbolic default 'none';
var x {i in 1..n} >= share, <= cap[i];
minimize f: sum {i in 1..n} (if mode = 'slow' then odd[i] else i) * x[i];
c1 {i in 1..n: even[i]}: x[i] + gap <= level;
c2 {i in 1..half}: x[i] >= x[i+half] - (if name[1] = 'none' then 1 else 2);
data;
param cap := 2 7;
end;
