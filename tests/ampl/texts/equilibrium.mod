# equilibrium.mod - chemical equilibrium: a free energy with logarithms of ratios, element balances from a table with zeros, a scalar defined variable.
set COMP := 1..4;
set ELEM := {'H', 'O'};
param c {COMP};
param a {ELEM, COMP} default 0;
param amount {ELEM};
var n {COMP} >= 1e-6 := 0.5;
var all = sum {j in COMP} n[j];
minimize energy: sum {j in COMP} n[j]*(c[j] + log(n[j]/all));
element {e in ELEM}: sum {j in COMP} a[e,j]*n[j] = amount[e];
ratio {j in 2..4}: n[j]/all <= 0.9;
data;
param c := 1 -6.089  2 -17.164  3 -34.054  4 -5.914;
param a: 1 2 3 4 := H 1 2 2 .  O . . 1 2;
param amount := H 2 O 1;
