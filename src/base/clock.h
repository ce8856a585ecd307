/* clock.h - seconds that only go forward.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_CLOCK_H
#define HN_BASE_CLOCK_H

/* Since some moment in the past. */
double clock_seconds(void);

#endif
