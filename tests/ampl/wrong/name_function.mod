var x;
c: cot(x) <= 1;
