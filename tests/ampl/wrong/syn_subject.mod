var x;
subject c: x <= 1;
