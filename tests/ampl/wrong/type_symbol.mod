param s symbolic := 'a';
var x;
c: x <= s;
