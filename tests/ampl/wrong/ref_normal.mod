var x;
c: x <= Normal01();
