var x;
c: card(x) <= 1;
