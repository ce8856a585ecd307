set S ordered := 1..3;
var x {S};
c {i in S}: x[next(i)] <= 1;
