# unicycle.mod - model predictive control of a unicycle around an elliptic obstacle.
#
# The experiment of A. Goertzen, K. Alim, Y. Min, N. Azizan, "HardNet++: Nonlinear Constraint Enforcement in Neural
# Networks" (2026), section on empirical validation, with the numbers of the code published with it where the text
# rounds (obstacle weights 0.51020408 = 1/1.4^2 and 0.90702948 = 1/1.05^2).
#
#   in    z0                the state now: position px, py and heading
#   out   z[1,*]..z[N,*]    the states to come,  u[0,*]..u[N-1,*]  speed and turn rate
#
# The text gives terminal weights diag(10,10,1); the published code, which made the paper's table, adds them to the last
# stage's own, so that the last state weighs diag(11,11,2). So does this file.

param N := 10;                                          # steps of the horizon
param dt := 0.2;                                        # seconds a step
param lo{1..3};
param hi{1..3};
param target{1..3};
param slowest{1..2};                                    # limits of the controls
param fastest{1..2};
param weight{1..3};                                     # of the state's error in every stage
param terminal{1..3};                                   # of the last state's error, on top
param effort{1..2};                                     # of the controls

param z0{i in 1..3} >= lo[i], <= hi[i];                 # no value: the network's input, sampled in this box
check: 0.51020408*z0[1]^2 + 0.90702948*z0[2]^2 >= 1.2;  # and clear of the obstacle

# It starts as if the unicycle drove on straight at speed 1: the dynamics hold, the obstacle may not.
var z{k in 1..N, i in 1..3} :=
    z0[i] + k*dt*(if i = 1 then cos(z0[3]) else if i = 2 then sin(z0[3]) else 0);
var u{k in 0..N-1, j in 1..2} >= slowest[j], <= fastest[j], := if j = 1 then 1 else 0;

# What a closed loop needs. The plant's next state, from the true state and the applied controls alone:
var next{i in 1..3} = z0[i] + dt*
    (if i = 1 then u[0,1]*cos(z0[3]) else if i = 2 then u[0,1]*sin(z0[3]) else u[0,2]);

# The cost of one step, of the state reached and the control applied, as in the objective; and the terminal cost of the
# state reached. A closed loop costs the sum of `stage` over its steps plus `final` of its last step alone. From
# z0 = (-3.2, 0.3, -0.1), 20 steps under the optimal controller, that is 253.641 + 0.039 = 253.68, the figure published
# with the paper; with the state before the step in place of the one reached it would be 298.66.
var next_error{i in 1..3} =
    if i < 3 then next[i] - target[i] else atan2(sin(next[3] - target[3]), cos(next[3] - target[3]));
var stage = sum{i in 1..3} weight[i]*next_error[i]^2 + sum{j in 1..2} effort[j]*u[0,j]^2;
var final = sum{i in 1..3} terminal[i]*next_error[i]^2;

# How far the state reached is from the obstacle, in the obstacle's own units: negative inside of it.
var clearance = 0.51020408*next[1]^2 + 0.90702948*next[2]^2 - 1;

var before{k in 1..N, i in 1..3} = if k = 1 then z0[i] else z[k-1,i];
var error{k in 1..N, i in 1..3} =                       # the heading's, wrapped into (-pi, pi]
    if i < 3 then z[k,i] - target[i] else atan2(sin(z[k,3] - target[3]), cos(z[k,3] - target[3]));

minimize cost:
    sum{k in 1..N, i in 1..3} weight[i]*error[k,i]^2
  + sum{i in 1..3} terminal[i]*error[N,i]^2
  + sum{k in 0..N-1, j in 1..2} effort[j]*u[k,j]^2;

subject to dynamics {k in 1..N, i in 1..3}:
    z[k,i] = before[k,i] + dt*
        (if i = 1 then u[k-1,1]*cos(before[k,3]) else if i = 2 then u[k-1,1]*sin(before[k,3]) else u[k-1,2]);

subject to obstacle {k in 1..N}:
    0.51020408*z[k,1]^2 + 0.90702948*z[k,2]^2 >= 1;

data;

param:    lo    hi    target  weight  terminal :=
    1    -4.0  -2.2   3.5     1       10
    2    -2.4   2.4   0       1       10
    3    -0.45  0.45  0       1        1;

param:    slowest  fastest  effort :=
    1     0        2        0.1
    2    -1.5      1.5      0.1;
