var x;
repeat 3 { option randseed 3; };
for {i in 1..2} { option randseed 3; }
