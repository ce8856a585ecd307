/* failing_count.c - see failing.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/failing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static size_t counts[FAULT_KINDS];
static pid_t counter; /* a child that is forked from here on has its own faults, and says nothing */

static void print_counts(void) {
    if (getpid() == counter)
        printf("faults: %zu allocations, %zu system calls, %zu thread starts, %zu driver calls\n",
               counts[FAULT_ALLOCATION], counts[FAULT_SYSTEM_CALL], counts[FAULT_THREAD], counts[FAULT_DRIVER_CALL]);
}

void fault_count(enum fault kind) {
    if (counter == 0) {
        counter = getpid();
        atexit(print_counts);
    }
    counts[kind]++;
}
