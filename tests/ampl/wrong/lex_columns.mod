var x; /* größer, übrigens */ c: x @ 2 <= 1;
