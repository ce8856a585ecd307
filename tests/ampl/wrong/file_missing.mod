var x;
include no_such_file.mod;
