var y;
node N;
arc a from N y;
