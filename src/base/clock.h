/* clock.h - seconds that only go forward.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_CLOCK_H
#define HN_BASE_CLOCK_H

/* Since some moment in the past. */
double clock_seconds(void);

/* That this process has computed for, on all its threads. */
double clock_busy_seconds(void);

#endif
