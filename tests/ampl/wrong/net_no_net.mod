var y;
node N: y = 1;
