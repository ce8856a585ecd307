param p;
var x >= p;
data file_within_data.dat;
