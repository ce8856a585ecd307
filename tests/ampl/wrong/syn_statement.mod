var x;
constrain x <= 1;
