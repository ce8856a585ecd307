# training.gp - the curve of `hardnet train --log`: the objective on validation inputs, and the loss, against steps.
#
# The reference's optimum on these inputs is a line, where there is a file optimum.gp that says it.
# SPDX-License-Identifier: MIT
load "look.gp"
set key off
set lmargin at screen 0.16
set rmargin at screen 0.95

# About five tics on the upper axis. Nothing is ok while nothing is learned.
stats "training.csv" using "validation_objective" name "O" nooutput
if (int(system("test -f optimum.gp && echo 1 || echo 0"))) { load "optimum.gp" }
shown = exists("optimum")
if (!shown) { optimum = NaN }
if (exists("O_records") && O_records > 0) { if (shown) { O_min = optimum < O_min ? optimum : O_min; O_max = optimum > O_max ? optimum : O_max } }
if (exists("O_records") && O_records > 0 && O_max > O_min) { set ytics step((O_max - O_min)/5) }

do for [format in "png svg"] {
    eval(picture(format, "training", 326, 270))
    set multiplot
    set xtics offset 0,tic
    set tmargin at screen (shown ? 0.87 : 0.96); set bmargin at screen 0.58
    set format x ""
    set ylabel "validation objective" offset 1
    if (shown) { set key on vertical at screen 0.55, screen 0.995 center top spacing apart } else { unset key }
    plot "training.csv" using "step":"validation_objective" with linespoints linecolor rgb blue linewidth 1.4 pointtype 7 pointsize 0.25 \
             title (shown ? "network" : ""), \
         "training.csv" using "step":(shown ? optimum : NaN) with lines linecolor rgb vermilion linewidth 1.2 dashtype 2 \
             title (shown ? "reference\'s optimum" : "")
    unset key
    set tmargin at screen 0.51; set bmargin at screen 0.15
    set format x "%g"
    set xlabel "training step" offset 0,label
    set ylabel "training loss" offset 1
    set ytics autofreq
    set logscale y
    set format y "10^{%T}"
    plot "training.csv" using "step":"loss" with linespoints linecolor rgb vermilion linewidth 1.4 pointtype 7 pointsize 0.25
    unset multiplot
    unset logscale; set format; unset xlabel
    if (exists("O_records") && O_records > 0 && O_max > O_min) { set ytics step((O_max - O_min)/5) }
}
