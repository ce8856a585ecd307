# files.mod, files_model.inc, files_data.dat, files_more.inc - further files: model FILE, include FILE, data FILE, each beside this one.
param n := 2;
model files_model.inc;
include 'files_more.inc';
data files_data.dat;
model;
cap: sum {i in 1..n} x[i] <= total;
