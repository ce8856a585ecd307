/* program_kernel.h - the interpreter loop of programs, written once over SIMD vectors; each backend compiles it for its
 * width.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_PROGRAM_KERNEL_H
#define HN_AUTODIFF_PROGRAM_KERNEL_H

#include "autodiff/program.h"
#include "base/elementary.h"

#define WIDES(offset) ((simd *)(void *)SLOT_AT(slots, offset))

/* Unused operands refer to slot 0; the compiler eliminates the load. */
#define RUN_CASE(label, meaning)                                                                                       \
    case label:                                                                                                        \
        for (int i = 0; i < LANE_PARTS; i++) {                                                                         \
            const simd a = WIDES(at->a)[i], b = WIDES(at->b)[i], c = WIDES(at->c)[i];                                  \
            (void)a, (void)b, (void)c;                                                                                 \
            WIDES(at->destination)[i] = meaning;                                                                       \
        }                                                                                                              \
        break;
#define RUN_OPERATOR(name, text, arguments, meaning) RUN_CASE(OP_##name, meaning)
#define RUN_FUSED(name, text, meaning)               RUN_CASE(CODE_##name, meaning)

static void kernel_sincos(double *slots, const struct instruction *at) {
    for (int i = 0; i < LANE_PARTS; i++) {
        simd sine, cosine;
        elementary_sincos(WIDES(at->a)[i], &sine, &cosine);
        WIDES(at->destination)[i] = sine;
        WIDES(at->c)[i] = cosine;
    }
}

/* Left to right, each product rounded before it is added. */
static void kernel_dot(double *slots, const struct instruction *at, const uint32_t *pairs) {
    const uint32_t *pair = pairs + 2 * (size_t)at->a;
    simd sums[LANE_PARTS];
    for (int i = 0; i < LANE_PARTS; i++)
        sums[i] = WIDES(pair[0])[i] * WIDES(pair[1])[i];
    for (uint32_t k = 1; k < at->b; k++) {
        pair += 2;
        for (int i = 0; i < LANE_PARTS; i++)
            sums[i] += WIDES(pair[0])[i] * WIDES(pair[1])[i];
    }
    for (int i = 0; i < LANE_PARTS; i++)
        WIDES(at->destination)[i] = sums[i];
}

/* The same for several rows of one matrix at once, whose sums are independent; the coefficients are the same for all
 * samples. A row does not overwrite operands of another row: all rows read the same columns. */
enum { ROWS_AT_ONCE = 4 };

SIMD_INLINE void kernel_linear(double *slots, const struct instruction *at, const struct program *program,
                               const int rows) {
    const uint32_t *column = program->columns + at->c;
    const double *coefficient[ROWS_AT_ONCE];
    simd sums[ROWS_AT_ONCE][LANE_PARTS];
    for (int row = 0; row < rows; row++) {
        coefficient[row] = program->coefficients + at[row].a;
        for (int i = 0; i < LANE_PARTS; i++)
            sums[row][i] = simd_all(coefficient[row][0]) * WIDES(column[0])[i];
    }
    for (uint32_t k = 1; k < at->b; k++)
        for (int i = 0; i < LANE_PARTS; i++) {
            const simd value = WIDES(column[k])[i];
            for (int row = 0; row < rows; row++)
                sums[row][i] += simd_all(coefficient[row][k]) * value;
        }
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < LANE_PARTS; i++)
            WIDES(at[row].destination)[i] = sums[row][i];
}

static void kernel_linear_row(double *slots, const struct instruction *at, const struct program *program) {
    kernel_linear(slots, at, program, 1);
}

static void kernel_linear_rows(double *slots, const struct instruction *at, const struct program *program) {
    kernel_linear(slots, at, program, ROWS_AT_ONCE);
}

static bool kernel_are_rows(const struct instruction *at, const struct instruction *end) {
    bool rows = end - at >= ROWS_AT_ONCE;
    for (int row = 1; rows && row < ROWS_AT_ONCE; row++)
        rows = at[row].code == CODE_LINEAR && at[row].b == at->b && at[row].c == at->c;
    return rows;
}

static void kernel_program(const struct program *program, int phase, double *slots) {
    const struct instruction *at = program->code + program->first[phase];
    const struct instruction *end = program->code + program->first[phase + 1];
    for (; at < end; at++) {
        simd_prefetch(at, 1280);
        switch (at->code) {
            OPERATOR_LIST(RUN_OPERATOR)
            FUSED_LIST(RUN_FUSED)
        case CODE_SINCOS:
            kernel_sincos(slots, at);
            break;
        case CODE_LINEAR:
            if (!kernel_are_rows(at, end)) {
                kernel_linear_row(slots, at, program);
                break;
            }
            kernel_linear_rows(slots, at, program);
            at += ROWS_AT_ONCE - 1;
            break;
        default: /* CODE_DOT */
            kernel_dot(slots, at, program->pairs);
        }
    }
}

#endif
