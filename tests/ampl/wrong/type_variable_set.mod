var x;
set S := 1..x;
