/* pack.c - program_allocate: allocates one block for a program and its lists.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/compiler.h"
#include "base/error.h"
#include "base/layout.h"

/* A program during layout; its head comes first in its block. */
struct packing {
    struct program parts, *head;
};

static void pack_lay_out(struct layout *layout, void *context) {
    struct packing *packing = context;
    struct program *parts = &packing->parts;
    packing->head = layout_take(layout, 1, sizeof *packing->head);
    parts->constants = layout_take(layout, parts->constant_count, sizeof *parts->constants);
    parts->output_slot = layout_take(layout, parts->output_count, sizeof *parts->output_slot);
    parts->code = layout_take(layout, parts->first[PHASES], sizeof *parts->code);
    parts->pairs = layout_take(layout, 2 * parts->pair_count, sizeof *parts->pairs);
    parts->coefficients = layout_take(layout, parts->coefficient_count, sizeof *parts->coefficients);
    parts->columns = layout_take(layout, parts->column_count, sizeof *parts->columns);
}

hn_status program_allocate(struct program **out, const struct program *shape, hn_error *error) {
    struct packing packing = {.parts = *shape};
    *out = NULL;
    if (shape->stride == 0 || shape->slots > UINT32_MAX / shape->stride)
        return error_set(error, HN_LIMIT, "program: %zu slots are more than an instruction can address", shape->slots);
    packing.parts.bytes = layout_size(pack_lay_out, &packing);
    packing.parts.block = layout_allocate(pack_lay_out, &packing);
    if (!packing.parts.block)
        return error_no_memory(error, "program");
    *packing.head = packing.parts;
    *out = packing.head;
    return HN_OK;
}
