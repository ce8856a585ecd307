var x;
if 1 = 1 then let x := 3;
