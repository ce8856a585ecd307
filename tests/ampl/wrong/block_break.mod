var x;
for outer {i in 1..3} { if i = 2 then break inner; }
