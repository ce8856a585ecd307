var x;
minimize f: ;
