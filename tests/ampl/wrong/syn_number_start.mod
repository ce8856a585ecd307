var x;
3 <= x;
