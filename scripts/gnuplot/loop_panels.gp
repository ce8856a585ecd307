# loop_panels.gp - panels over the steps of closed loops, two beside each other: what loop_states.gp and loop_outputs.gp share.
#
# Set before: name (of the picture), panels (names of what is shown), first (the column of the first of them in loop_N.dat).
# SPDX-License-Identifier: MIT
count = words(panels)
across = count > 1 ? 2 : 1
down = (count + across - 1)/across
tall = 60 + 95*down
head = 16.0/tall; foot = 34.0/tall; each = (1 - head - foot)/down
stats file(1) using 1 name "S" nooutput
do for [format in "png svg"] {
    eval(picture(format, name, 163*across + 80, tall))
    set multiplot
    set xtics offset 0,tic
    do for [p=1:count] {
        row = (p - 1)/across; beside = (p - 1) % across
        lowest = p + across > count
        eval(fitted("y", first + p - 1))
        set xrange [0:S_max] noextend
        set yrange [y_low:y_high] noextend
        set ytics step((y_high - y_low)/4)
        set lmargin at screen (0.5*beside*(across > 1) + (across > 1 ? 0.085 : 0.15))
        set rmargin at screen (across > 1 ? 0.5*beside + 0.485 : 0.97)
        set tmargin at screen 1 - head - row*each - 0.2*each
        set bmargin at screen 1 - head - (row + 1)*each + 0.1*each
        set format x (lowest ? "%g" : "")
        set xlabel (lowest ? "step" : "") offset 0,label
        set title word(panels, p) noenhanced offset 0,-0.8
        if (p == 1) { set key noenhanced horizontal at screen 0.5, screen 0.995 center top } else { unset key }
        plot for [i=1:words(names)] file(i) using 1:(column(first + p - 1)) with lines linecolor rgb colour(i) \
             linewidth (i == 1 ? 1.8 : 1.1) title word(names, i)
    }
    unset multiplot
}
