var x;
for {i in 1..3} {
  let x := i;
  param p := 3;
}
