# cartpole.mod - model predictive control of a cart that swings its pole up from the side and balances it.
#
#   in    s0                the state now: place of the cart (m), angle of the pole (rad, 0: upright), their rates (m/s, rad/s)
#   out   s[1,*]..s[N,*]    the states to come,  u[0]..u[N-1]  the force on the cart (N)
#
# The equations of A. Barto, R. Sutton, C. Anderson, "Neuronlike adaptive elements that can solve difficult learning
# control problems" (1983), without friction. One step holds the accelerations at its beginning: p + dt*v + dt^2/2*a,
# v + dt*a. The box of the inputs is what states may reach: the track ends at +-2 m, the motor has a highest speed, the
# pole must not tip too far.

param N := 20;                                          # steps of the horizon
param dt := 0.05;                                       # seconds a step
param gravity := 9.81;
param cart := 1;                                        # kg
param pole := 0.2;                                      # kg
param half := 0.4;                                      # m, from the joint to the middle of the pole
param most_force := 20;
param lo{1..4};
param hi{1..4};
param weight{1..4};                                     # of the state in every stage
param terminal{1..4};                                   # of the last state, on top
param effort := 0.002;                                  # of the force

param s0{i in 1..4} >= lo[i], <= hi[i];                 # no value: the network's input, sampled in this box

# States from which the pole can be caught on the track: it does not fall too fast, and the cart has the way to run that
# catching it takes.
param fall := s0[2] + 0.25*s0[4];
check: abs(fall) <= 0.3 and abs(s0[3] + 3*fall) <= 3 and abs(s0[1] + 0.4*s0[3] + 2*fall) <= 1.2;

# It starts as if it stood at s0 and then at the target.
var s{k in 1..N, i in 1..4} := s0[i]*(1 - k/N);
var u{k in 0..N-1} >= -most_force, <= most_force, := 0;

var before{k in 1..N, i in 1..4} = if k = 1 then s0[i] else s[k-1,i];

# Accelerations of a step: of the pole, and of the cart.
var drive{k in 0..N-1} = (u[k] + pole*half*before[k+1,4]^2*sin(before[k+1,2]))/(cart + pole);
var swing{k in 0..N-1} = (gravity*sin(before[k+1,2]) - cos(before[k+1,2])*drive[k])
    /(half*(4/3 - pole*cos(before[k+1,2])^2/(cart + pole)));
var pull{k in 0..N-1, i in 1..2} =
    if i = 1 then drive[k] - pole*half*swing[k]*cos(before[k+1,2])/(cart + pole) else swing[k];

minimize cost:
    sum{k in 1..N, i in 1..4} weight[i]*s[k,i]^2
  + sum{i in 1..4} terminal[i]*s[N,i]^2
  + sum{k in 0..N-1} effort*u[k]^2;

subject to dynamics {k in 1..N, i in 1..4}:
    s[k,i] = before[k,i] + (if i <= 2 then dt*before[k,i+2] + dt^2/2*pull[k-1,i] else dt*pull[k-1,i-2]);

subject to limits {k in 1..N, i in 1..4}: lo[i] <= s[k,i] <= hi[i];

# What a closed loop needs: the plant's next state, from the true state and the applied force alone; the cost of one
# step; how far the cart is from the end of the track (m).
var next{i in 1..4} = s0[i] + (if i <= 2 then dt*s0[i+2] + dt^2/2*pull[0,i] else dt*pull[0,i-2]);
var stage = sum{i in 1..4} weight[i]*next[i]^2 + effort*u[0]^2;
var clearance = hi[1] - abs(next[1]);

data;

param:    lo    hi    weight  terminal :=
    1    -2     2     1       10
    2    -0.8   0.8   2       10
    3    -4     4     0.05    1
    4    -6     6     0.05    1;
