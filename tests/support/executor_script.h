/* executor_script.h - an executor beside the plain one: the same entries, the same numbers, the same bits.
 *
 * The script is run by an executor for all its samples at once and by the plain executor (plain_executor.h) for each of them by itself.
 * After an entry, everything that it must leave (cpu/executor.h) is compared.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_EXECUTOR_SCRIPT_H
#define HN_TESTS_SUPPORT_EXECUTOR_SCRIPT_H

#include "cpu/executor.h"

/* Fails the test where an entry leaves other bits, and says which one. */
void play_script(const struct executor *executor, const struct executor *plain, uint64_t seed);

#endif
