option randseed -3;
