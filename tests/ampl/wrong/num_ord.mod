set S ordered := {'a', 'b'};
var x;
c: x <= ord('z', S);
