param p;
var x >= p;
data no_such_file.dat;
