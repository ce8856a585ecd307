function myfun;
var x;
