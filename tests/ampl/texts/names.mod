# names.mod - names as people choose them: functions' names, words of commands, underscores, capitals, aliases in quotes.
param e := 2.5;
param E "the other E" := 4;
param time := 1;
param exp_ := 3;
param _a1 := 0.5;
set T := {1..2};
var first := 1;
var last 'the last of them' >= 0;
var next {T};
var data_ >= -1;
var model_1 {i in T} >= i;
minimize cost "in euros": first + last + sum {t in T} next[t] * _a1 + data_;
limit_1: e*first + E*last <= exp_;
Limit_1 {t in T}: next[t] + time >= model_1[t];
subject to solution 'a row with an alias': first*data_ = 1;
