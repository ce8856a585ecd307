# costs.gp - the objective of the samples beside the reference's, and the share that is lost: histograms.
#
# Without a reference there is only the first. What is lost is relative to max(|f*|, median |f*|).
# SPDX-License-Identifier: MIT
load "look.gp"
set datafile separator whitespace
compared = int(system("wc -l < gaps.dat")) > 0
set ylabel "samples" offset 0.5
set yrange [0:*]
set bmargin at screen 0.2; set tmargin at screen 0.87
do for [format in "png svg"] {
    eval(picture(format, "costs", compared ? 560 : 326, 200))
    set multiplot
    set xtics offset 0,tic
    set lmargin at screen (compared ? 0.09 : 0.14); set rmargin at screen (compared ? 0.49 : 0.97)
    set xlabel "objective" offset 0,label
    set key horizontal at graph 0.5, screen 0.99 center top spacing apart
    set style fill solid 0.5 noborder
    plot "costs.dat" using 1:2:3:4:(0):2 with boxxyerror linecolor rgb blue title "network", \
         (compared ? "costs_reference.dat" : "costs.dat") using 1:(compared ? $2 : NaN) with histeps linecolor rgb vermilion linewidth 1.4 \
         title (compared ? "reference" : "")
    if (compared) {
        set lmargin at screen 0.58; set rmargin at screen 0.98
        stats "gaps.dat" using 3 name "A" nooutput
        stats "gaps.dat" using 4 name "B" nooutput
        set logscale x
        set xrange [A_min : (B_max > 1e-2 ? B_max : 1e-2)]
        set format x "10^{%T}"
        set xtics 10.0**ceil((log10(B_max) - log10(A_min))/8)
        set mxtics 1
        set xlabel "share lost, (f - f*) / max(|f*|, median)" offset 0,label
        unset key
        set ylabel ""
        set arrow 1 from 1e-2, graph 0 to 1e-2, graph 1 nohead linecolor rgb "#444444" linewidth 0.8 dashtype 3 front
        set label 1 "1 %" at 1e-2, graph 1.05 center textcolor rgb "#444444" front
        plot "gaps.dat" using 1:2:3:4:(0):2 with boxxyerror linecolor rgb blue notitle
        unset logscale; set format x; set xrange [*:*]; set xtics autofreq; unset arrow 1; unset label 1
        set ylabel "samples" offset 0.5
    }
    unset multiplot
}
