var x;
problem P: x;
