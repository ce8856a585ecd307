var x;
fix q := 3;
