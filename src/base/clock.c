/* clock.c - see clock.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <time.h>

double clock_seconds(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
