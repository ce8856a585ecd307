/* reduce.h - the angle of a huge number: x modulo pi/2.
 *
 * Input: a finite x >= 1. Output: n mod 4 and x - n pi/2, where n is the integer nearest to x 2/pi; the difference has
 * a high and a low part with a relative error of about 2^-70. The result is NaN for infinities and NaN. This is the
 * slow path of sin, cos and tan, one double at a time. It is stateless.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_REDUCE_H
#define HN_BASE_REDUCE_H

typedef struct {
    double high, low;
    int quadrant; /* 0 ... 3 */
} reduced_angle;

#ifndef REDUCE_FUNCTION /* files that contain reduce.c make it static */
#define REDUCE_FUNCTION
#endif

/* x is at least 1, or NaN. */
REDUCE_FUNCTION reduced_angle reduce_angle(double x);

#endif
