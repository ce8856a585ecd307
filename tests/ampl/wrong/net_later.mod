arc a to N;
node N;
