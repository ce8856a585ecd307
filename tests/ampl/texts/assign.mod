# assign.mod - an assignment with binary variables, read with relaxed integrality: they become continuous within 0 and 1.
# linear
set PEOPLE := {'Ann', 'Bob', 'Eve'};
set TASKS := 1..3;
param hours {PEOPLE, TASKS};
var do {PEOPLE, TASKS} binary;
minimize time: sum {p in PEOPLE, t in TASKS} hours[p,t]*do[p,t];
one_task {p in PEOPLE}: sum {t in TASKS} do[p,t] = 1;
one_person {t in TASKS}: sum {p in PEOPLE} do[p,t] = 1;
data;
param hours: 1 2 3 :=
  Ann 4 2 8
  Bob 4 3 7
  Eve 3 1 6;
end;
