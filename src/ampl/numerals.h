/* numerals.h - decimal numerals to doubles, correctly rounded (to nearest, ties to even), independent of the locale.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_NUMERALS_H
#define HN_AMPL_NUMERALS_H

#include <stddef.h>

/* The numeral at the start of a text: digits with an optional point, then an optional exponent after e, E, d or D. No
 * sign. Two points in a row end it (1..5 starts with 1). Returns its length, or 0 without a numeral; the value is
 * infinite on overflow. */
size_t ampl_numeral(const char *text, size_t length, double *value);

#endif
