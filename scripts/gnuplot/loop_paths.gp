# loop_paths.gp - one state against another in closed loop, a colour per controller: loop_N.dat, columns step, x, y, ...
# SPDX-License-Identifier: MIT
load "look.gp"
load "range.gp"
load "loop_names.gp"
set datafile separator whitespace
eval(fitted("x", 2))
eval(fitted("y", 3))
set xrange [x_low:x_high] noextend
set yrange [y_low:y_high] noextend
set ylabel y_name noenhanced offset 0.5
set lmargin at screen 0.14; set rmargin at screen 0.97
set bmargin at screen 0.17; set tmargin at screen (words(names) > 3 ? 0.84 : 0.9)
do for [format in "png svg"] {
    eval(picture(format, "loop_paths", 326, 240))
    set xtics offset 0,tic
    set xlabel x_name noenhanced offset 0,label
    set key noenhanced vertical maxrows (words(names) > 3 ? 2 : 1) at screen 0.55, screen 0.985 center top spacing apart
    plot for [i=1:words(names)] file(i) using 2:3 with linespoints linecolor rgb colour(i) linewidth (i == 1 ? 2 : 1.1) \
             pointtype 7 pointsize 0.25 title word(names, i), \
         file(1) using ($1 == 0 ? $2 : NaN):3 with points pointtype 6 pointsize 0.9 linewidth 1.2 linecolor rgb black notitle
}
