var x;
c: x.val <= 1;
