var x;
minimize f x^2;
