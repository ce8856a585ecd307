var x;
minimize f: <<1, 3; 2, 4>> x;
