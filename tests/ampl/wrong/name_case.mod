var Buy >= 0;
c: buy <= 3;
