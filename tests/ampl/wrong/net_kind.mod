var y;
c: y <= 1;
node N;
arc a from N, to c;
