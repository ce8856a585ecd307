# piecewise.mod - piecewise-linear terms: lists, indexed lists, a zero elsewhere, at a kink, of constants and of sums.
set WAYS := {'road', 'rail'};
param pieces {WAYS};
param limit {w in WAYS, p in 1..pieces[w]-1} > 0;
param rate {w in WAYS, p in 1..pieces[w]};
param load := 7;
var ship {WAYS} >= 0, <= 20;
var over;
var at_kink := 4;
minimize cost: sum {w in WAYS} <<{p in 1..pieces[w]-1} limit[w,p]; {p in 1..pieces[w]} rate[w,p]>> ship[w]
    + 3*<<-1, 1; -4, 0, 4>> over - <<5; 1, 0>> load;
demand: sum {w in WAYS} ship[w] >= load + <<2; 0, 0.5>> load;
band: -6 <= <<0, 2; 1, -1, 1>> (ship['road'] - over, 1) <= 6;
kink: <<4, 4, 6; -1, 100, 2, 3>> (at_kink, 5) + <<; 2>> over <= 8;
data;
param pieces := road 3 rail 2;
param limit := road 1 1.5  road 2 4  rail 1 3;
param rate := road 1 1  road 2 2.5  road 3 4  rail 1 2  rail 2 0.25;
