var x;
for {i in 1..3} check: i > 0;
