var x;
while 1 = 1 do { };
