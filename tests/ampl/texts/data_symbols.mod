# data_symbols.mod - unquoted symbols of data: with . + - _ and digits, words of the language, numbers as members, quoted ones with blanks.
# linear
set DAYS ordered;
set UNITS;
param start symbolic in DAYS;
param worth {DAYS};
param by_unit {UNITS} default 1;
var x {DAYS} >= 0;
var y {UNITS};
minimize f: sum {d in DAYS} worth[d]*x[d];
c1 {d in DAYS: ord(d) >= ord(start, DAYS)}: x[d] <= worth[d];
c2 {u in UNITS}: by_unit[u]*y[u] >= 1;
data;
set DAYS := Jan-1 Jan-15 '1 Feb' Mar_1.5 ;
set UNITS := in sum 7 -3 2e2 'var' a.b ;
param start := Jan-15 ;
param worth := Jan-1 1  Jan-15 2  '1 Feb' 3  Mar_1.5 4 ;
param by_unit := sum 2  -3 5  200 6  var 8 ;
