/* program_lists.h - a program as plain data, for texts that run it one sample at a time: kernels of a device and emitted files.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_PROGRAM_LISTS_H
#define HN_CORE_PROGRAM_LISTS_H

#include "base/real.h"

/* A program (autodiff/program.h) whose slots hold one number. */
struct policy_instruction {
    uint32_t code, destination, a, b, c;
};

struct policy_program {
    const struct policy_instruction *code;
    const uint32_t *pairs, *columns;
    const real *coefficients, *constants;
    size_t first[4], constant_count, slots;
};

#endif
