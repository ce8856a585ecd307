# violations.gp - how many samples violate their constraints by how much: the network's raw outputs, and what was made of them.
#
# What is exact, or below 1e-17, stands at the left.
# SPDX-License-Identifier: MIT
load "look.gp"
set datafile separator whitespace
set logscale x
set format x "10^{%T}"
stats "violations.dat" using 3 name "A" nooutput
stats "violations.dat" using 4 name "B" nooutput
stats "violations_raw.dat" using 3 name "C" nooutput
stats "violations_raw.dat" using 4 name "D" nooutput
low = (A_min < C_min ? A_min : C_min); high = (B_max > D_max ? B_max : D_max)
set xrange [low : (high > 1e-7 ? high : 1e-7)]
set xtics 10.0**ceil((log10(high) - log10(low))/9)
set mxtics 1
set yrange [0:*]
set ylabel "samples" offset 0.5
set style fill solid 0.65 noborder
set arrow 1 from 1e-8, graph 0 to 1e-8, graph 1 nohead linecolor rgb "#444444" linewidth 0.8 dashtype 3 front
set label 1 " tolerance" at 1e-8, graph 0.96 left textcolor rgb "#444444" front
set lmargin at screen 0.14; set rmargin at screen 0.97
set bmargin at screen 0.19; set tmargin at screen 0.88
do for [format in "png svg"] {
    eval(picture(format, "violations", 326, 200))
    set xtics offset 0,tic
    set xlabel "largest violation of a sample, max |r|" offset 0,label
    set key horizontal at screen 0.55, screen 0.99 center top spacing apart
    plot "violations_raw.dat" using 1:2:3:4:(0):2 with boxxyerror linecolor rgb sky title "raw outputs", \
         "violations.dat" using 1:2:3:4:(0):2 with boxxyerror linecolor rgb blue title "corrected"
}
