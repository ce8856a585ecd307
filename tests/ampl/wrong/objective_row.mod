var x;
c: x <= 1;
objective c;
