var y;
arc Flow >= 0;
