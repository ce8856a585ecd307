# sets_symbols.mod - symbols and numbers as members: quoted names, a name that looks like a number, comparisons of symbols, symbolic params.
# linear
set UNITS := {'pump', "valve 2", 'it''s', 7};
param main_unit symbolic in UNITS;
param spare symbolic := 'pump';
param kind {UNITS} symbolic;
param code {u in UNITS} := if u = 'pump' then 1 else if u = 7 then 2 else if kind[u] = 'gate' then 3 else 4;
var load {UNITS} >= 0;
minimize f: sum {u in UNITS} code[u]*load[u];
c1: load[main_unit] + load[spare] >= 1;
c2 {u in UNITS: kind[u] <> 'gate'}: load[u] <= code[u];
c3 {u in UNITS diff {main_unit}: u <> spare}: load[u] <= load[main_unit];
data;
param main_unit := "valve 2";
param kind := pump rotor  "valve 2" gate  'it''s' gate  7 'old rotor';
