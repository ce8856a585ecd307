var x;
c: x + * 2 <= 1;
