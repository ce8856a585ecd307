var y;
c: net_in + y <= 1;
