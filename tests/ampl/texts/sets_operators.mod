# sets_operators.mod - union diff symdiff inter cross: their precedence (cross above inter above union), from the left, in brackets.
set A := 1..4;
set B := {3, 4, 5};
set C := {4, 5, 6};
set P := A union B inter C;              # 1 2 3 4 5
set Q := A diff B diff {1};              # 2
set R := A symdiff B;                    # 1 2 5
set S := (A union B) inter C;            # 4 5
set T := {1, 2} cross B inter {1} cross {4, 9} union {(7, 7)};  # (1,4) (7,7)
set U := A inter (B union {1}) diff C;   # 1 3
var p {P};  var q {Q};  var r {R};  var s {S};  var t {T};  var u {U};
minimize f: sum {i in P} i*p[i] + sum {i in Q} q[i] + sum {i in R} i*r[i] + sum {i in S} s[i]^2 + sum {(i,j) in T} (i+j)*t[i,j];
c1 {i in U}: u[i] + p[i] <= i;
c2 {i in A inter R, j in S}: r[i] + s[j] >= i*j;
c3: card(P) + card(T) <= sum {(i,j) in T: i < j} t[i,j] + q[2];
