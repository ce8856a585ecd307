var x;
c: x <= 1;
drop c;
