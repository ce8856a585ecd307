var x;
c: x <= member(4, 1..3);
