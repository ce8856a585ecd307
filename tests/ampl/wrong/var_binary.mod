var x {1..3} binary;
