var x;
if 1 = 1 then continue;
