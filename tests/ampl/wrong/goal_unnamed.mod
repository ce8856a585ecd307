var x;
minimize: x^2;
