var x >= Infinity;
