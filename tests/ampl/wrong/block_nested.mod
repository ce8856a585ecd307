var x;
param n default 0;
for {i in 1..3} {
  repeat { if n > 3 then continue; let n := n + i; };
}
