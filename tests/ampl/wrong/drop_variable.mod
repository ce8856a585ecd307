var x;
drop x;
