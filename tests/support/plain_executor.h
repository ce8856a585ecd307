/* plain_executor.h - a second executor: one sample, plain loops over what a plan says, no kernels and no lists of its own.
 *
 * It is what an executor does, on a page; the judge of the others, entry by entry.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_PLAIN_EXECUTOR_H
#define HN_TESTS_SUPPORT_PLAIN_EXECUTOR_H

#include "cpu/executor.h"

/* Needs nothing but the plan, and is not closed. */
struct executor plain_executor(const struct plan *plan);

#endif
