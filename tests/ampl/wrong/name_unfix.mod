var x;
unfix q;
