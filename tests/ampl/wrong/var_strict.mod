var x > 0;
