param u >= 0, <= 1;
var x;
c: <<1; u, 4>> x <= 1;
