param s symbolic := 'abc;
var x;
