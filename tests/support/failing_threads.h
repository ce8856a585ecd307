/* failing_threads.h - threads that do not start, where a test says so.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_FAILING_THREADS_H
#define HN_TESTS_SUPPORT_FAILING_THREADS_H

/* From now on the k-th thread that is started fails, and those after it; 0: none does. */
void threads_fail_at(int k);
void threads_fail_once(int k); /* and those after it start */

#endif
