var x;
option solver s, randseed 1.5;
