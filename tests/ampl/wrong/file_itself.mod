include file_itself.mod;
var x;
