option randseed 0;
