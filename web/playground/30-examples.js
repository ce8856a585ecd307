/* 30-examples.js - the models that the tab Constraints offers: text, where to look, where the raw output begins. */
"use strict";

const examples = {
    drone: {
        title: "Drone in a valley",
        text: `# Where a drone flies next: above the
# valley, within range of its radio.

# Input of the network: a param
# without a value
param range >= 0.8, <= 2.5;

# Outputs of the network: every var
var east;
var height;

# Constraints
subject to ground:
    height >= east^2 - 0.5;
subject to radio:
    east^2 + height^2 <= range^2;
`,
        x: [2], y: [1.8, -0.6], view: {left: -2.7, right: 2.7, bottom: -2.6, top: 2.8},
    },
    disc: {
        title: "Disc and line",
        text: `# A point of a disc, above a line.

param radius >= 0.5, <= 2;
var y{1..2} >= -2, <= 2;

subject to disc: y[1]^2 + y[2]^2 <= radius^2;
subject to line: y[1] + y[2] >= 0.1;
`,
        x: [1.5], y: [2.3, -1.9], view: {left: -2.7, right: 2.9, bottom: -2.8, top: 2.8},
    },
    ellipse: {title: "Ellipse", text: shipped.models.ellipse, x: [0.8], y: [2.2, 1.6], view: {left: -2.8, right: 2.8, bottom: -2.8, top: 2.8}},
    figure2: {title: "The paper's figure 2", text: shipped.models.figure2, x: [], y: [2, 2.5], view: {left: -3.4, right: 3.2, bottom: -3.3, top: 3.3}},
    arm: {
        title: "Inverse kinematics",
        text: `# Joint angles of an arm, each relative to the link before:
# its tip is at the target, its elbows are above the table.
param across >= 0.3, <= 1.8;
param up >= 0.2, <= 1.6;
param length{1..3};
var angle{1..3} >= -2.6, <= 2.6, := 0.4;

var heading{j in 1..3} = sum{i in 1..j} angle[i];
var tip_x{j in 1..3} = sum{i in 1..j} length[i]*cos(heading[i]);
var tip_y{j in 1..3} = sum{i in 1..j} length[i]*sin(heading[i]);

subject to reach_x: tip_x[3] = across;
subject to reach_y: tip_y[3] = up;
subject to table {j in 1..2}: tip_y[j] >= 0.1;

data;
param length := 1 1.0  2 0.8  3 0.5;
`,
        x: [1.2, 0.9], y: [0.2, 0.9, 0.9], view: {left: -2.3, right: 3.5, bottom: -2.9, top: 2.9},
    },
    simplex: {
        title: "Simplex", text: shipped.models.simplex.replace("param n := 10;", "param n := 4;"), x: [0.6, 0.3, -0.2, 0.1],
        y: [0.9, 0.7, -0.2, 0.1], view: {left: -0.35, right: 1.25, bottom: -0.35, top: 1.25},
    },
    pooling: {title: "Pooling", text: shipped.models.pooling, x: [0.1, 0.8, 1, 0.6], y: [2, 0.9, 0.5, 0.1, 0.4], axes: [1, 2],
              view: {left: -0.3, right: 1.5, bottom: -0.3, top: 1.5}},
    infeasible: {
        title: "Infeasible",
        text: `# No point is in both discs: the outcome says so.
var y{1..2};
subject to left: (y[1] + 1)^2 + y[2]^2 <= 0.6;
subject to right: (y[1] - 1)^2 + y[2]^2 <= 0.6;
`,
        x: [], y: [0.4, 1.6], view: {left: -2.4, right: 2.4, bottom: -2.4, top: 2.4},
    },
};
