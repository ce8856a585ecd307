var x {1..2};
for {i in 1..3} let x[i] := i;
