var x {1 .. 3 by 0};
