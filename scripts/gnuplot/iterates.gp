# iterates.gp - steps in two dimensions over the feasible set of models/figure2.mod, of `hardnet project --trace`.
#
# Undamped steps stay parallel to the boundary of the half-plane and never arrive; damped ones do, and those of the method auto. Later
# iterates are darker.
# SPDX-License-Identifier: MIT
load "look.gp"
kinds = "undamped damped auto"
titles = "'undamped, ε = 0' 'damped, ε = 0.3' auto"
file(i) = sprintf("iterates_%s.csv", word(kinds, i))
steps(i) = system(sprintf("awk -F, 'NR > 1 && $3 <= 1e-8 { print $2; exit }' %s", file(i)))
words_for(i) = steps(i) eq "" ? "does not arrive" : steps(i)." steps"

# The ellipse, all iterates and some air; the half-plane is y_2 >= y_1/2 - 1.
left = -2.0; right = 2.0; bottom = -1.0; top = 1.0; air = 0.5
do for [i=1:3] {
    stats file(i) using 5 name "X" nooutput
    stats file(i) using 6 name "Y" nooutput
    left = X_min < left ? X_min : left; right = X_max > right ? X_max : right
    bottom = Y_min < bottom ? Y_min : bottom; top = Y_max > top ? Y_max : top
}
left = left - air; right = right + air; bottom = bottom - air; top = top + air
edge(x) = x/2 - 1
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b
enter = most(left, 2*(bottom + 1)); leave = least(right, 2*(top + 1)) # where its boundary meets the frame

set size ratio -1
set xrange [left:right]; set yrange [bottom:top]
set xtics most(1, floor((right - left)/6)); set ytics most(1, floor((top - bottom)/5))
set object 1 polygon from enter,edge(enter) to leave,edge(leave) to leave,top to left,top to left,most(bottom, edge(left)) \
    to enter,edge(enter) fillstyle transparent solid 0.22 noborder fillcolor rgb sky back
set object 2 ellipse center 0,0 size 4,2 fillstyle transparent solid 0.4 border linecolor rgb orange fillcolor rgb orange back
set arrow 1 from enter,edge(enter) to leave,edge(leave) nohead linecolor rgb blue linewidth 1 back
set label 1 "both hold" at -0.15,0.0 center textcolor rgb "#664400" front
set label 2 "half-plane" at graph 0.03,0.92 left textcolor rgb blue front
set label 3 "ellipse" at 1.45,-0.85 left textcolor rgb "#9a6a00" front
set palette defined (0 "#b0b0b0", 1 "#000000")
unset colorbox
unset grid
set key off
do for [format in "png svg"] {
    eval(picture(format, "iterates", 672, 208))
    set xtics offset 0,tic
    set xlabel "y_1" offset 0,label
    set multiplot layout 1,3 margins 0.06,0.985,0.18,0.91 spacing 0.03
    do for [i=1:3] {
        set title word(titles, i).": ".words_for(i) offset 0,-0.7
        set format y (i == 1 ? "%g" : "")
        set ylabel (i == 1 ? "y_2" : "") offset 0.5
        plot file(i) using 5:6 with lines linecolor rgb "#666666" linewidth 1, \
             file(i) using 5:6:2 with points palette pointtype 7 pointsize 0.45, \
             file(i) using 5:6 every ::1::1 with points pointtype 7 pointsize 0.7 linecolor rgb vermilion
    }
    unset multiplot
}
