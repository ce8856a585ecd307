# range.gp - axes that fit the data, and colours of controllers, for the pictures of scripts/draw.
#
# What the first controller does, with some air, and the others as far as they go: one that is lost leaves the picture where that would become more
# than three times as large.
# SPDX-License-Identifier: MIT
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b
colours = "#000000 #0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9"
colour(i) = word(colours, (i - 1) % 7 + 1)
file(i) = sprintf("loop_%d.dat", i)

# eval(fitted(AXIS, COLUMN)): AXIS_low and AXIS_high, for this column of all files. stats sees only what is in the present ranges.
fitted(axis, c) = "set xrange [*:*]; set yrange [*:*];" \
    .sprintf("stats file(1) using %d name 'F' nooutput; low = F_min; high = F_max; far = high - low;", c) \
    .sprintf("do for [other=2:words(names)] { stats file(other) using %d name 'F' nooutput;", c) \
    ."low = most(low - far, least(low, F_min)); high = least(high + far, most(high, F_max)) };" \
    ."air = high > low ? 0.05*(high - low) : most(1e-12, 0.05*abs(high));" \
    .sprintf("%s_low = low - air; %s_high = high + air", axis, axis)
