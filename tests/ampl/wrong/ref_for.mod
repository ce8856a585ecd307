var x {1..3};
for {i in 1..3} {
  let x[i] := i;
}
