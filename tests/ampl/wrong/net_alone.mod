var y;
node N: net_in = 2;
