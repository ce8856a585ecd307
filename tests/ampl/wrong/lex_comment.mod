var x;
  /* this one never ends
c: x <= 1;
