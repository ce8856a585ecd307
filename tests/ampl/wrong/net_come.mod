param p := to_come;
var y;
