var x;
option randseed 'now';
