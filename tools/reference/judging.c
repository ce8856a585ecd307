/* judging.c - see judging.h.
 *
 * SPDX-License-Identifier: MIT */
#include "reference/judging.h"

#include "common/console.h"
#include "reference/reference.h"

#include <string.h>

const char *const judging_references[] = {"ipopt", "optimal", NULL};

bool judging_is_own(const struct judging *judging) {
    return judging->reference && strcmp(judging->reference, judging_references[1]) == 0;
}

const char *judging_solver(const struct judging *judging) {
    return judging_is_own(judging) ? "hardnet, method optimal" : reference_name();
}

hn_status judging_find(const struct judging *judging, hn_error *error) {
    return judging_is_own(judging) ? HN_OK : reference_find(error);
}

void judging_warn(const struct judging *judging) {
    static const char unused[] = "is about the solver of --reference, which is not given";
    if (judging->starts_given && !judging->reference)
        console_warning("--starts %s", unused);
    if (judging->seconds_given && !judging->reference)
        console_warning("--reference-seconds %s", unused);
}
