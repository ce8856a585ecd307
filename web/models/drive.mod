# drive.mod - a unicycle drives to a goal around a disc, both of which may be anywhere.
#
# The world is seen from the robot: it stands at the origin and looks along the first axis. So the model has five inputs,
# and whoever moves the robot, the goal or the obstacle changes nothing but these.
#
#   in    goal              where to drive to
#         centre, radius    the obstacle
#   out   z[1,*]..z[N,*]    positions and headings to come,  u[0,*]..u[N-1,*]  speed and turn rate
#
# Standing still is a plan that holds all rows, unless the robot is inside the obstacle already. The obstacle is kept
# clear of at the states and halfway between them.

param N := 12;                                          # steps of the horizon
param dt := 0.2;                                        # seconds a step
param fastest := 2;
param sharpest := 2;                                    # turn rate

param goal{i in 1..2} >= -8, <= 8;
param centre{i in 1..2} >= -4, <= 4;
param radius >= 0.2, <= 1.6;
check: centre[1]^2 + centre[2]^2 >= (radius + 0.05)^2;

# It starts as if it drove straight on at half of its speed: the dynamics hold, the obstacle may not.
var z{k in 1..N, i in 1..3} := if i = 1 then k*dt*fastest/2 else 0;
var u{k in 0..N-1, j in 1..2} >= if j = 1 then 0 else -sharpest, <= if j = 1 then fastest else sharpest,
    := if j = 1 then fastest/2 else 0;

var before{k in 1..N, i in 1..3} = if k = 1 then 0 else z[k-1,i];
var middle{k in 1..N, i in 1..2} = (before[k,i] + z[k,i])/2;

minimize cost:
    sum{k in 1..N, i in 1..2} (z[k,i] - goal[i])^2
  + 5*sum{i in 1..2} (z[N,i] - goal[i])^2
  + 0.1*sum{k in 0..N-1, j in 1..2} u[k,j]^2;

subject to dynamics {k in 1..N, i in 1..3}:
    z[k,i] = before[k,i] + dt*
        (if i = 1 then u[k-1,1]*cos(before[k,3]) else if i = 2 then u[k-1,1]*sin(before[k,3]) else u[k-1,2]);

subject to clear {k in 1..N}:
    (z[k,1] - centre[1])^2 + (z[k,2] - centre[2])^2 >= radius^2;

subject to clear_halfway {k in 1..N}:
    (middle[k,1] - centre[1])^2 + (middle[k,2] - centre[2])^2 >= radius^2;
