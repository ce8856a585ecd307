set S = {1, 2
   1};
var x {S};
