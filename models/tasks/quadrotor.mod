# quadrotor.mod - model predictive control of a planar quadrotor that flies to a point, past a post.
#
#   in    s0                the state now: px, py (m, the target is the origin), tilt (rad), vx, vy (m/s), rate (rad/s)
#   out   s[1,*]..s[N,*]    the states to come,  u[0,*]..u[N-1,*]  thrust of the left and the right rotor (N)
#
# One step holds the accelerations that thrusts and tilt give at its beginning: p + dt*v + dt^2/2*a, v + dt*a. Each rotor
# gives between nothing and 90 % of the weight; tilt and speeds are limited, the ground is 1.5 m below the target, the post
# is round.

param N := 15;                                          # steps of the horizon
param dt := 0.1;                                        # seconds a step
param gravity := 9.81;
param mass := 1;                                        # kg
param arm := 0.2;                                       # m, from the middle to a rotor
param inertia := 0.02;                                  # kg m^2
param most_thrust := 0.9*mass*gravity;                  # of one rotor
param hover := mass*gravity/2;                          # what each rotor gives at rest
param ground := -1.5;
param post_x := -1.1;                                   # the post: its middle and its radius
param post_y := 0.35;
param post := 0.45;
param lo{1..6};
param hi{1..6};
param weight{1..6};                                     # of the state in every stage
param terminal{1..6};                                   # of the last state, on top
param effort := 0.02;                                   # of thrust beyond hovering

param s0{i in 1..6} >= lo[i], <= hi[i];                 # no value: the network's input, sampled in this box

# States that leave room to brake: places half a second ahead, speeds three tenths and tilts one tenth are in the box, with
# the lift of its weight, or half of it downwards, and it does not close in on the post faster than it can stop.
check: abs(s0[1] + 0.5*s0[4]) <= hi[1] and lo[2] <= s0[2] + 0.5*s0[5] <= hi[2] and abs(s0[3] + 0.1*s0[6]) <= hi[3]
   and abs(s0[4] - 0.1*gravity*s0[3]) <= hi[4] and abs(s0[4] - 0.3*gravity*(s0[3] + 0.1*s0[6])) <= hi[4]
   and s0[5] - 0.05*gravity >= lo[5];
param gap := sqrt((s0[1] - post_x)^2 + (s0[2] - post_y)^2);
check: gap - post >= max(-1e-6, -0.4*((s0[1] - post_x)*s0[4] + (s0[2] - post_y)*s0[5])/gap);

# It starts as if it stood at s0 and then at the target.
var s{k in 1..N, i in 1..6} := s0[i]*(1 - k/N);
var u{k in 0..N-1, j in 1..2} >= 0, <= most_thrust, := hover;

var before{k in 1..N, i in 1..6} = if k = 1 then s0[i] else s[k-1,i];

# Accelerations of a step: sideways, up, and of the tilt.
var pull{k in 0..N-1, i in 1..3} =
    if i = 1 then -(u[k,1] + u[k,2])*sin(before[k+1,3])/mass
    else if i = 2 then (u[k,1] + u[k,2])*cos(before[k+1,3])/mass - gravity
    else (u[k,2] - u[k,1])*arm/inertia;

minimize cost:
    sum{k in 1..N, i in 1..6} weight[i]*s[k,i]^2
  + sum{i in 1..6} terminal[i]*s[N,i]^2
  + sum{k in 0..N-1, j in 1..2} effort*(u[k,j] - hover)^2;

subject to dynamics {k in 1..N, i in 1..6}:
    s[k,i] = before[k,i] + (if i <= 3 then dt*before[k,i+3] + dt^2/2*pull[k-1,i] else dt*pull[k-1,i-3]);

subject to limits {k in 1..N, i in 3..6}: lo[i] <= s[k,i] <= hi[i];
subject to above {k in 1..N}: s[k,2] >= ground;
subject to clear {k in 1..N}: (s[k,1] - post_x)^2 + (s[k,2] - post_y)^2 >= post^2;

# What a closed loop needs: the plant's next state, from the true state and the applied thrusts alone; the cost of one
# step; how far the state reached is from the post's surface (m).
var next{i in 1..6} = s0[i] + (if i <= 3 then dt*s0[i+3] + dt^2/2*pull[0,i] else dt*pull[0,i-3]);
var stage = sum{i in 1..6} weight[i]*next[i]^2 + sum{j in 1..2} effort*(u[0,j] - hover)^2;
var clearance = sqrt((next[1] - post_x)^2 + (next[2] - post_y)^2) - post;

data;

param:    lo    hi    weight  terminal :=
    1    -2.5   2.5   1       10
    2    -1.4   1.4   1       10
    3    -0.6   0.6   0.2     1
    4    -3     3     0.1     2
    5    -3     3     0.1     2
    6    -4     4     0.02    0.2;
