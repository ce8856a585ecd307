param s symbolic := 'a';
var x := s;
