/* clock.h - monotonic time in seconds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_CLOCK_H
#define HN_BASE_CLOCK_H

/* Since an arbitrary moment in the past. */
double clock_seconds(void);

/* CPU time of this process, summed over its threads. */
double clock_busy_seconds(void);

#endif
