# arm.mod - a planar arm with three links reaches for a point around a disc.
#
# The arm stands at the origin. From the joint angles it has now it moves, in N equal steps, until
# its tip is at the target, with as little joint motion as it can. Points along its links stay
# outside of a disc, so that it passes either in front of the disc or behind it, with its elbow on
# either side: the optimum jumps with the input, and a solver finds one of several. The first link is
# too short to touch the disc.
#
#   in    start             joint angles now, each relative to the link before
#         target            where the tip shall be, by its distance and direction from the origin
#   out   angle[1..N,*]     the joint angles after each step

param N := 6;                                       # steps
set JOINTS := 1..3;
param length{JOINTS};
param centre{1..2};                                 # of the disc
param radius;
param fastest := 0.6;                               # of a joint, radians a step
param least{JOINTS};  param most{JOINTS};           # of each joint's angle
param from{JOINTS};  param to{JOINTS};              # the box of the start

param start{j in JOINTS} >= from[j], <= to[j];
param distance >= 1.5, <= 2.0;
param direction >= -0.9, <= -0.1;

var angle{k in 1..N, j in JOINTS} >= least[j], <= most[j], := start[j];

var before{k in 1..N, j in JOINTS} = if k = 1 then start[j] else angle[k-1,j];
var heading{k in 1..N, j in JOINTS} = sum{i in 1..j} angle[k,i];       # of each link
var joint_x{k in 1..N, j in 0..3} = sum{i in 1..j} length[i]*cos(heading[k,i]);
var joint_y{k in 1..N, j in 0..3} = sum{i in 1..j} length[i]*sin(heading[k,i]);

# Points of the links: s halves of link j, its end at s = 2.
var point_x{k in 1..N, j in JOINTS, s in 1..2} = (1 - s/2)*joint_x[k,j-1] + s/2*joint_x[k,j];
var point_y{k in 1..N, j in JOINTS, s in 1..2} = (1 - s/2)*joint_y[k,j-1] + s/2*joint_y[k,j];

minimize motion: sum{k in 1..N, j in JOINTS} (angle[k,j] - before[k,j])^2;

subject to reach_x: joint_x[N,3] = distance*cos(direction);
subject to reach_y: joint_y[N,3] = distance*sin(direction);
subject to speed {k in 1..N, j in JOINTS}: -fastest <= angle[k,j] - before[k,j] <= fastest;
subject to clear {k in 1..N, j in 2..3, s in 1..2}:
    (point_x[k,j,s] - centre[1])^2 + (point_y[k,j,s] - centre[2])^2 >= radius^2;

data;

param:    length  least  most  from  to :=
    1     1.0     -2.0   2.0    0.7   1.3
    2     0.8     -2.6   2.6   -0.4   0.4
    3     0.6     -2.6   2.6   -0.4   0.4;

param centre :=  1 1.5  2 0.35;
param radius := 0.35;
