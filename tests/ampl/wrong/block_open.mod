var x;
for {i in 1..3} {
  let x := i;
minimize f: x;
