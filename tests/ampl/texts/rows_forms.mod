# rows_forms.mod - constraints with and without their opening words: subject to, subj to, s.t., none; = and ==; both ways of two relations.
var x {1..3} := 1;
minimize f: x[1]*x[2]*x[3];
subject to one: x[1] + x[2] = 1;
subj to two {i in 1..2}: x[i] <= x[i+1];
s.t. three {i in 1..3, j in 1..3: i < j}: x[i]*x[j] >= -i;
four {i in 1..2}: x[i]^2 == x[3];
subject to five: -1 <= x[1] - x[2] <= 1;
s.t. six: 4 >= x[1] + x[3] >= 2;
seven: 3*x[1] = 6*x[2];
subject
   to eight: x[1]
   + x[2]
   + x[3] <= 10;
s.t.nine: x[2] >= 0;
