param s symbolic := 'a';
var x;
c: (if s < 1 then x else 1) <= 1;
