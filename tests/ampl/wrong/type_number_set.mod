var x {3};
