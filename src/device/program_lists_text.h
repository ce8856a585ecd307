/* program_lists_text.h - a program as kernels of a device run it: the library and the texts of kernels are compiled with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_PROGRAM_LISTS_TEXT_H
#define HN_DEVICE_PROGRAM_LISTS_TEXT_H

/* A program (program/program.h) whose slots hold one number. */
struct policy_instruction {
    uint32_t code, destination, a, b, c;
};

struct policy_program {
    const struct policy_instruction *code;
    const uint32_t *pairs, *columns;
    const double *coefficients, *constants;
    size_t first[4], constant_count, slots;
};

/* The same for a team (team_text.h): its instructions in levels, each of which reads what those before it have written. */
struct team_program {
    struct policy_program own;
    const uint32_t *level; /* where each begins, and the end of the last */
    size_t level_first[4]; /* those of each phase */
};

#endif
