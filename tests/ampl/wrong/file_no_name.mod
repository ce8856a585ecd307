var x;
include;
