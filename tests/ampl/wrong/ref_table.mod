param p;
var x;
table T IN 'x.csv': p;
