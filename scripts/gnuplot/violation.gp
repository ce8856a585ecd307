# violation.gp - max |r| against steps of the layer on models/unicycle.mod: the median over the samples, and the worst of them.
#
# HardNet's own step is not defined here (60 rows, 50 outputs); undamped is the same with all rows in a system that is singular.
# SPDX-License-Identifier: MIT
load "look.gp"
kinds = "undamped paper lm auto"
titles = "'undamped, ε = 0' 'paper, ε = 0.3' lm auto"
colours = "#888888 #D55E00 #009E73 #0072B2"
of(name, value) = stringcolumn(1) eq name ? value : NaN
place(step) = step > 0 ? step : 0.5
set logscale xy

# Whole decades around the medians, the worst of the start and the tolerance: a worst sample that diverges leaves the picture, and what is
# exact lies on the lower edge.
tolerance = 1e-8; exact = 1e-16
stats "violation.csv" using 2 name "step" nooutput
stats "violation.csv" using (column(3) > exact ? column(3) : exact) name "median" nooutput
stats "violation.csv" using (column(2) == 0 ? column(4) : NaN) name "first" nooutput
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b
low = floor(log10(least(median_min, tolerance/100))); high = ceil(log10(most(10*tolerance, most(median_max, first_max))))
set xrange [0.5 : most(1, step_max)]
set yrange [10.0**low : 10.0**high]
set xtics ("0" 0.5)
do for [tens=0:5] { do for [ones in "1 2 5"] { tick = int(ones)*10**tens; set xtics add (sprintf("%d", tick) tick) } }
set ytics 10.0**(1 + (high - low)/9)
set mytics 1
set format y "10^{%T}"
set ylabel "largest violation, max |r|" offset 0.5
set lmargin at screen 0.17; set rmargin at screen 0.96
set bmargin at screen 0.14; set tmargin at screen 0.81
set arrow 1 from graph 0, first 1e-8 to graph 1, first 1e-8 nohead linecolor rgb "#444444" linewidth 0.8 dashtype 3
set label 1 "tolerance" at graph 0.015, first 3e-8 left textcolor rgb "#444444"
do for [format in "png svg"] {
    eval(picture(format, "violation", 326, 250))
    set xtics offset 0,tic
    set xlabel "steps of the layer" offset 0,label
    set key vertical maxrows 3 at screen 0.56, screen 0.98 center top spacing apart
    plot for [i=1:4] "violation.csv" using (place(column(2))):(of(word(kinds, i), column(3))) with lines \
             linecolor rgb word(colours, i) linewidth 1.7 title word(titles, i), \
         keyentry with lines linecolor rgb black linewidth 1.7 title "median", \
         keyentry with lines linecolor rgb black linewidth 1.1 dashtype 2 title "worst", \
         for [i=1:4] "violation.csv" using (place(column(2))):(of(word(kinds, i), column(4))) with lines \
             linecolor rgb word(colours, i) linewidth 1.1 dashtype 2 notitle
}
