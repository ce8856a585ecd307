# loop_outputs.gp - outputs and defined variables over the steps of closed loops, a panel each.
# SPDX-License-Identifier: MIT
load "look.gp"
load "range.gp"
load "loop_names.gp"
set datafile separator whitespace
name = "loop_outputs"; panels = outputs; first = 4 + words(states)
load "loop_panels.gp"
