param p;
var x;
read p < 'p.txt';
