/* numerals.h - decimal numerals to doubles, correctly rounded (to nearest, ties to even), whatever the locale.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_NUMERALS_H
#define HN_AMPL_NUMERALS_H

#include <stddef.h>

/* The numeral at the start of a text: digits with perhaps a point, then perhaps an exponent after e, E, d or D. No
 * sign. Two points in a row end it (1..5 starts with 1). Returns its length, 0 when there is none; too large a
 * number is infinite. */
size_t ampl_numeral(const char *text, size_t length, double *value);

#endif
