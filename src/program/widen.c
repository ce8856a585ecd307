/* widen.c - program_widen: the same code over slots of more numbers.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "program/program.h"

#include <string.h>

/* Run twice: over no memory to measure, over the block to place. */
static struct program *lay_out(struct layout *layout, struct program *parts) {
    struct program *head = layout_take(layout, 1, sizeof *head);
    parts->constants = layout_take(layout, parts->constant_count, sizeof *parts->constants);
    parts->output_slot = layout_take(layout, parts->output_count, sizeof *parts->output_slot);
    parts->code = layout_take(layout, parts->first[PHASES], sizeof *parts->code);
    parts->pairs = layout_take(layout, 2 * parts->pair_count, sizeof *parts->pairs);
    return head;
}

static void fill(struct program *to, const struct program *from, uint32_t factor) {
    to->stride = from->stride * factor;
    for (size_t i = 0; i < from->constant_count; i++)
        to->constants[i] = from->constants[i];
    for (size_t i = 0; i < from->output_count; i++)
        to->output_slot[i] = from->output_slot[i];
    for (size_t i = 0; i < from->first[PHASES]; i++)
        to->code[i] = instruction_widen(from->code[i], factor);
    for (size_t i = 0; i < 2 * from->pair_count; i++)
        to->pairs[i] = from->pairs[i] * factor;
}

hn_status program_widen(struct program **out, const struct program *program, uint32_t factor, hn_error *error) {
    struct program parts = *program;
    struct layout layout = layout_measure();
    *out = NULL;
    lay_out(&layout, &parts);
    size_t bytes = layout_bytes(&layout);
    if (factor == 0 || program->slots > UINT32_MAX / program->stride / factor)
        return error_set(error, HN_LIMIT, "program: %zu slots are more than an instruction can name", program->slots);
    unsigned char *block = bytes ? base_allocate(bytes) : NULL;
    if (!block)
        return error_no_memory(error, "program");
    layout = layout_over(block);
    struct program *head = lay_out(&layout, &parts);
    fill(&parts, program, factor);
    parts.block = block;
    parts.bytes = bytes;
    *head = parts;
    *out = head;
    return HN_OK;
}
