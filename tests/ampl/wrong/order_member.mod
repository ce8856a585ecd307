set T := {'a', 'b'};
set S ordered by T;
var x {S};
data;
set S := b c;
