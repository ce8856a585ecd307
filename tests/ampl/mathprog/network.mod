# network.mod in the words of GNU MathProg: balances as rows.
set CITIES := {'A', 'B', 'C'};
set LINKS within {CITIES, CITIES} := {('A','B'), ('A','C'), ('B','C'), ('C','A')};
param demand {CITIES};
param loss {(i,j) in LINKS} default 0.1;
param cost {LINKS};
var Make >= 0, <= 8;
var Send {c in CITIES} >= 0;
var Ship {(i,j) in LINKS} >= 0, <= 4;
var Share;
var Spare;
minimize expense: 2*Make + sum {c in CITIES} (if c = 'A' then 1 else 1.5)*Send[c] + sum {(i,j) in LINKS} cost[i,j]*Ship[i,j];
s.t. Plant: 2 <= Make <= 9;
s.t. City {c in CITIES}: Send[c] + sum {(i,c) in LINKS} (1 - loss[i,c])*Ship[i,c] - sum {(c,j) in LINKS} Ship[c,j]
    + (if c <> 'B' then 0.75)*Share - (if c = 'C' then 1)*Spare = demand[c];
s.t. Hub: Make - sum {c in CITIES} Send[c] - 2*Share = 0;
s.t. Store: 0.5*Share + Spare + 1 >= 3;
data;
param demand := A 1 B 2.5 C -0.5;
param loss := A C 0.2;
param cost := A B 3  A C 4  B C 5  C A 6;
end;
