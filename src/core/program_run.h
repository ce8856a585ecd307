/* program_run.h - runs a program (program_lists.h) for one sample.
 *
 * The function program_operator (codegen/emit/emission_source.c) must precede this text. Consecutive slots are `apart`
 * numbers apart: the number of threads on a device, 1 in an emitted file.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_PROGRAM_RUN_H
#define HN_CORE_PROGRAM_RUN_H

#include "base/real.h"
#include "core/program_lists.h"

static real program_dot(const struct policy_program *p, const struct policy_instruction *at, const real *slots,
                        size_t apart) {
    const uint32_t *pair = p->pairs + 2 * (size_t)at->a;
    real sum = slots[pair[0] * apart] * slots[pair[1] * apart];
    for (uint32_t k = 1; k < at->b; k++)
        sum += slots[pair[2 * k] * apart] * slots[pair[2 * k + 1] * apart];
    return sum;
}

static real program_linear(const struct policy_program *p, const struct policy_instruction *at, const real *slots,
                           size_t apart) {
    const real *coefficient = p->coefficients + at->a;
    const uint32_t *column = p->columns + at->c;
    real sum = coefficient[0] * slots[column[0] * apart];
    for (uint32_t k = 1; k < at->b; k++)
        sum += coefficient[k] * slots[column[k] * apart];
    return sum;
}

static void program_instruction(const struct policy_program *p, size_t i, real *slots, size_t apart) {
    const struct policy_instruction at = p->code[i];
    real *to = slots + at.destination * apart;
    if (at.code == PROGRAM_DOT)
        *to = program_dot(p, &at, slots, apart);
    else if (at.code == PROGRAM_LINEAR)
        *to = program_linear(p, &at, slots, apart);
    else if (at.code == PROGRAM_SINCOS) {
        real sine, cosine;
        elementary_sincos(slots[at.a * apart], &sine, &cosine);
        *to = sine;
        slots[at.c * apart] = cosine;
    } else
        *to = program_operator(at.code, slots[at.a * apart], slots[at.b * apart], slots[at.c * apart]);
}

static void program_run(const struct policy_program *p, int phase, real *slots, size_t apart) {
    for (size_t i = p->first[phase]; i < p->first[phase + 1]; i++)
        program_instruction(p, i, slots, apart);
}

#endif
