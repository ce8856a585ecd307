# loop_states.gp - the states of closed loops over their steps, a panel each.
# SPDX-License-Identifier: MIT
load "look.gp"
load "range.gp"
load "loop_names.gp"
set datafile separator whitespace
name = "loop_states"; panels = states; first = 4
load "loop_panels.gp"
