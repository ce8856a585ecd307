/* failing_count.h - how many faults a test has made, printed when it ends: "faults: 12 allocations, 3 system calls, ...".
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_FAILING_COUNT_H
#define HN_TESTS_SUPPORT_FAILING_COUNT_H

enum fault { FAULT_ALLOCATION, FAULT_SYSTEM_CALL, FAULT_THREAD, FAULT_DRIVER_CALL, FAULT_KINDS };

/* One more point at which something failed; what goes on failing after it is the same point. */
void fault_count(enum fault kind);

#endif
