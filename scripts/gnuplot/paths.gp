# paths.gp - closed-loop paths around the obstacle, a colour per controller, of `hardnet rollout models/unicycle.mod --csv paths.csv`.
#
# Columns: controller, start, step, z0[1], z0[2], ...; the paths from the first start are drawn.
# SPDX-License-Identifier: MIT
load "look.gp"
names = system("awk 'NR > 1 { if (!sub(/^\"/, \"\")) sub(/,.*/, \"\"); sub(/\",.*/, \"\"); if (!seen[$0]++) printf \"\\\"%s\\\" \", $0 }' paths.csv")
colours = "#000000 #0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9"
marks = "7 7 5 9 13 11 3"
colour(i) = word(colours, (i - 1) % 7 + 1)
mark(i) = int(word(marks, (i - 1) % 7 + 1))
until_comma(text) = strstrt(text, ',') > 0 ? text[1:strstrt(text, ',') - 1] : text # as gnuplot reads it, in quotes or not
first(name, value) = stringcolumn(1) eq until_comma(name) && column(2) == 0 ? value : NaN
begin(value) = column(3) == 0 ? first(word(names, 1), value) : NaN

set object 1 ellipse center 0,0 size 2*1.4,2*1.05 fillstyle solid 1 border linecolor rgb "#777777" fillcolor rgb "#d9d9d9" back
set label 1 "obstacle" at 0,-0.5 center textcolor rgb "#555555" front
set label 2 "target" at 3.5,-0.32 center front
set size ratio -1

# Start, obstacle and target with some air, and the paths as far as they go; a controller that is lost leaves the picture where that
# would become more than twice as large.
air = 0.5
do for [i=1:2] {
    stats "paths.csv" using (begin(column(3 + i))) name word("start_x start_y", i) nooutput
    stats "paths.csv" using (column(2) == 0 ? column(3 + i) : NaN) name word("path_x path_y", i) nooutput
}
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b
left = least(-1.4, start_x_min) - air; right = most(3.5, start_x_max) + air
bottom = least(-1.05, start_y_min) - air; top = most(1.05, start_y_max) + air
wide = right - left; tall = top - bottom
set xrange [most(left - wide/2, least(left, path_x_min - air)) : least(right + wide/2, most(right, path_x_max + air))] noextend
set yrange [most(bottom - tall/2, least(bottom, path_y_min - air)) : least(top + tall/2, most(top, path_y_max + air))] noextend
set xtics most(1, floor(wide/8)); set ytics most(1, floor(tall/4))
set ylabel "p_y  in m" offset 0.5
set lmargin at screen 0.125; set rmargin at screen 0.98
set bmargin at screen 0.19; set tmargin at screen (words(names) > 3 ? 0.84 : 0.9)
do for [format in "png svg"] {
    eval(picture(format, "paths", 326, 190))
    set xtics offset 0,tic
    set xlabel "p_x  in m" offset 0,label
    set key vertical maxrows (words(names) > 3 ? 2 : 1) at screen 0.55, screen 0.98 center top spacing apart
    plot for [i=1:words(names)] "paths.csv" using (first(word(names, i), column(4))):(first(word(names, i), column(5))) \
             with linespoints linecolor rgb colour(i) linewidth (i == 1 ? 2.4 : 1.2) pointtype mark(i) \
             pointsize (i == 1 ? 0.42 : 0.36) title word(names, i), \
         "paths.csv" using (begin(column(4))):(begin(column(5))):(0.12) with circles fillstyle empty linecolor rgb black notitle, \
         "paths.csv" using (begin(column(4))):(begin(column(5)) - 0.35):("start") with labels center notitle, \
         "paths.csv" using (begin(3.5)):(begin(0)) with points pointtype 2 pointsize 1 linewidth 1.6 linecolor rgb black notitle
}
