var x;
c: 0 <= x complements x >= 1;
