/* change_stride.c - program_widen: the same code for wider slots.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/compiler.h"

static void change_stride_fill(struct program *to, const struct program *from, uint32_t factor) {
    for (size_t i = 0; i < from->constant_count; i++)
        to->constants[i] = from->constants[i];
    for (size_t i = 0; i < from->output_count; i++)
        to->output_slot[i] = from->output_slot[i];
    for (size_t i = 0; i < from->first[PHASES]; i++)
        to->code[i] = instruction_widen(from->code[i], factor);
    for (size_t i = 0; i < 2 * from->pair_count; i++)
        to->pairs[i] = from->pairs[i] * factor;
    for (size_t i = 0; i < from->coefficient_count; i++)
        to->coefficients[i] = from->coefficients[i];
    for (size_t i = 0; i < from->column_count; i++)
        to->columns[i] = from->columns[i] * factor;
}

hn_status program_widen(struct program **out, const struct program *program, uint32_t factor, hn_error *error) {
    struct program shape = *program;
    bool fits = factor > 0 && program->stride <= UINT32_MAX / factor;
    shape.stride = fits ? program->stride * factor : 0; /* rejected by program_allocate */
    hn_status status = program_allocate(out, &shape, error);
    if (status == HN_OK)
        change_stride_fill(*out, program, factor);
    return status;
}
