/* team_lists_text.h - a program (program/program_lists_text.h) as a team runs it: the library and team_text.h are compiled with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_TEAM_LISTS_TEXT_H
#define HN_DEVICE_TEAM_LISTS_TEXT_H

#include "program/program_lists_text.h"

/* Instructions in levels, each of which reads what those before it have written. */
struct team_program {
    struct policy_program own;
    const uint32_t *level; /* where each begins, and the end of the last */
    size_t level_first[4]; /* those of each phase */
};

#endif
