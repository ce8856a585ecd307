var x;
for {i in 1..2} {
  let x := i;
  if i = 1 then {     shell 'x'; } else { fix x; }
}
c: <<1, 2; 3, >> x <= y;
d: x <= y;
