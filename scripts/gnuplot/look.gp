# look.gp - what all pictures share: a column of a paper (86 mm) wide, colours that the colour-blind can tell apart (Okabe and Ito).
# SPDX-License-Identifier: MIT
set encoding utf8
set datafile separator comma
set border 3 linewidth 0.8 linecolor rgb "#444444"
set tics nomirror out scale 0.5
set grid linecolor rgb "#dddddd" linewidth 0.5 linetype 1
set key Left reverse samplen 2

black = "#000000"; orange = "#E69F00"; sky = "#56B4E9"; green = "#009E73"
blue = "#0072B2"; vermilion = "#D55E00"; purple = "#CC79A7"; grey = "#888888"

# eval(picture(FORMAT, NAME, WIDTH, HEIGHT)) opens NAME.png or NAME.svg; sizes in 1/96 inch on paper, drawn three times as large. SVG sets
# texts further apart: label and tic are how far to pull up those below the axis, apart is the spacing of a key.
picture(format, name, width, height) = sprintf(format eq "png" ? \
    "set terminal pngcairo size %d,%d font 'DejaVu Sans,7' fontscale 3 linewidth 3 dashlength 0.6 pointscale 1.8; set output '%s.png';" \
        ."tic = 0; label = 0.3; apart = 1.15" : \
    "set terminal svg size %d,%d font 'DejaVu Sans,28' linewidth 3 dashlength 0.9 background rgb 'white'; set output '%s.svg';" \
        ."tic = 0.4; label = 0.9; apart = 0.9", \
    3*width, 3*height, name)

# Between tics: 1, 2 or 5 times a power of ten.
tens(range) = 10.0**floor(log10(range))
step(range) = tens(range)*(range < 1.5*tens(range) ? 1 : range < 3.5*tens(range) ? 2 : range < 7.5*tens(range) ? 5 : 10)
