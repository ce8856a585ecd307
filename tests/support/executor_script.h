/* executor_script.h - an executor beside the plain one: the same entries, the same numbers, the same bits.
 *
 * The script is run by an executor for all its samples at once and by the plain executor (plain_executor.h) for each of them by itself.
 * After an entry, everything that it must leave (backends/executor.h) is compared.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_EXECUTOR_SCRIPT_H
#define HN_TESTS_SUPPORT_EXECUTOR_SCRIPT_H

#include "backends/executor.h"

enum script_entry { BEGIN, LOAD, COPY, PREPARE, EVALUATE, WEIGH, LARGEST, STEP, BACK, SCRIPT_ENTRIES };

/* Fails the test where an entry of the kind that is judged leaves other bits. */
void play_script(const struct executor *executor, const struct executor *plain, enum script_entry judged,
                 uint64_t seed);

#endif
