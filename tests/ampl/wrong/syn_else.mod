var x;
c: x else 3 <= 1;
