var x integer >= 0;
