/* judging.c - see judging.h.
 *
 * SPDX-License-Identifier: MIT */
#include "reference/judging.h"

#include "common/console.h"

const char *const judging_references[] = {"ipopt", NULL};

void judging_warn(const struct judging *judging) {
    static const char unused[] = "is about the solver of --reference, which is not given";
    if (judging->starts_given && !judging->reference)
        console_warning("--starts %s", unused);
    if (judging->seconds_given && !judging->reference)
        console_warning("--reference-seconds %s", unused);
}
