var x;
c: x mod 2 <= 1;
