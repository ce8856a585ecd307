var x;
include file_within.inc;
d: x >= 0;
