/* plan_pack.c - packs all lists of a plan into one block: the first run measures, a second run of the same function
 * writes.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "plan/plan_builder.h"

#include <string.h>

struct packer {
    unsigned char *block; /* NULL while measuring */
    size_t used;          /* bytes */
    bool overflow;
};

/* Space for the list's elements, aligned to 8 bytes; NULL while measuring. */
static void *take_space(struct packer *packer, struct plan_list *list, size_t count, size_t size) {
    size_t bytes, begin = packer->used;
    bool fits = size_multiply(count, size, &bytes) && size_add(bytes, 7, &bytes) && count <= UINT32_MAX &&
                size_add(begin, bytes & ~(size_t)7, &packer->used) && begin / 8 <= UINT32_MAX;
    packer->overflow = packer->overflow || !fits;
    *list = (struct plan_list){(uint32_t)(begin / 8), (uint32_t)count};
    if (!packer->block)
        return NULL;
    if (packer->used > begin) /* zeros the padding: equal plans have equal bytes */
        memset(packer->block + packer->used - 8, 0, 8);
    return packer->block + begin;
}

static void pack(struct packer *packer, struct plan_list *list, const void *from, size_t count, size_t size) {
    void *to = take_space(packer, list, count, size);
    if (to && count)
        memcpy(to, from, count * size);
}

static void pack_words(struct packer *packer, struct plan_list *list, const uint32_t *from, size_t count) {
    pack(packer, list, from, count, sizeof *from);
}

static void pack_sizes(struct packer *packer, struct plan_list *list, const size_t *from, size_t count) {
    uint32_t *to = take_space(packer, list, count, sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = (uint32_t)from[i];
}

/* ---- parts ---- */

static void pack_program(struct packer *packer, struct plan_program *out, const struct program *program) {
    pack(packer, &out->constants, program->constants, program->constant_count, sizeof *program->constants);
    pack(packer, &out->code, program->code, program->first[PHASES], sizeof *program->code);
    pack_words(packer, &out->pairs, program->pairs, 2 * program->pair_count);
    pack(packer, &out->coefficients, program->coefficients, program->coefficient_count, sizeof *program->coefficients);
    pack_words(packer, &out->columns, program->columns, program->column_count);
    for (int phase = 0; phase <= PHASES; phase++)
        out->first[phase] = (uint32_t)program->first[phase];
    for (int phase = 0; phase < PHASES; phase++)
        out->operators[phase] = (uint32_t)program->operators[phase];
}

static void pack_slots(struct packer *packer, struct plan_builder *b) {
    struct plan_part parts[PLAN_PARTS];
    const uint32_t *next = b->program->output_slot;
    plan_parts(b, parts);
    for (size_t i = 0; i < PLAN_PARTS; next += parts[i++].count)
        pack_words(packer, parts[i].slots, next, parts[i].count);
}

static void pack_pattern(struct packer *packer, struct plan_matrix *out, const struct node_matrix *matrix) {
    pack_sizes(packer, &out->first, matrix->first, matrix->rows + 1);
    pack_words(packer, &out->column, matrix->column, matrix->count);
}

static void pack_patterns(struct packer *packer, struct plan_builder *b) {
    struct plan *plan = &b->plan;
    pack_pattern(packer, &plan->jacobian, &b->jacobian);
    pack_pattern(packer, &plan->lower_x, &b->lower_x);
    pack_pattern(packer, &plan->upper_x, &b->upper_x);
    pack_pattern(packer, &plan->start_x, &b->start_x);
    pack_pattern(packer, &plan->fixed_x, &b->fixed_x);
    pack_words(packer, &plan->bracket_y.entry, b->bracket_y.column, b->bracket_y.count);
    pack_words(packer, &plan->bracket_x.entry, b->bracket_x.column, b->bracket_x.count);
    pack_words(packer, &plan->pull_x.entry, b->pull_x.column, b->pull_x.count);
    pack_words(packer, &plan->fixed.entry, b->fixed_outputs, b->fixed.count);
}

static void pack_rows(struct packer *packer, struct plan_builder *b) {
    struct plan *plan = &b->plan;
    pack_words(packer, &plan->bounds.slot, b->bounds.row, b->bounds.count);
    pack_words(packer, &plan->bounds.entry, b->bounds.output, b->bounds.count);
    pack_words(packer, &plan->clip.slot, b->clip.row, b->clip.count);
    pack_words(packer, &plan->clip.entry, b->clip.output, b->clip.count);
    pack_words(packer, &plan->joint, b->joint, b->joint_count);
    pack_words(packer, &plan->bounded, b->bounded, b->bounded_count);
    pack(packer, &plan->blocks, b->blocks, b->block_count, sizeof *b->blocks);
}

static void pack_constants(struct packer *packer, struct plan_system *out, const struct damped *system) {
    uint32_t *slot = take_space(packer, &out->constant_slot, system->constant_count, sizeof *slot);
    double *value = take_space(packer, &out->constant_value, system->constant_count, sizeof *value);
    for (size_t i = 0; slot && value && i < system->constant_count; i++) {
        slot[i] = system->constants[i].offset;
        value[i] = system->constants[i].value;
    }
}

static void pack_system(struct packer *packer, struct plan_system *out, const struct damped *system) {
    bool dense = system->kind == FACTOR_DENSE || system->kind == FACTOR_TILED;
    bool walked = system->kind == FACTOR_WALKED;
    size_t order = dense ? 0 : system->order, nonzeros = dense ? 0 : system->nonzeros;
    size_t walked_nonzeros = walked ? system->nonzeros : 0;
    out->kind = (uint32_t)system->kind;
    out->order = (uint32_t)system->order;
    out->nonzeros = (uint32_t)system->nonzeros;
    out->added = (uint32_t)system->added;
    out->lower = system->lower;
    out->negated = system->negated;
    out->inverse = system->inverse;
    out->pivot_range = system->pivot_range;
    out->zero = system->zero;
    out->solution = system->solution;
    out->multiply_adds = system->multiply_adds;
    pack_words(packer, &out->by_rows, system->by_rows.stream, system->by_rows.words);
    pack_words(packer, &out->by_columns, system->by_columns.stream, system->by_columns.words);
    pack_words(packer, &out->stream, system->stream, system->words);
    pack_words(packer, &out->permutation, system->permutation, order);
    pack_words(packer, &out->column_first, system->column_first, dense ? 0 : order + 1);
    pack_words(packer, &out->row_unknown, system->row_offset, nonzeros);
    pack_words(packer, &out->row_number, system->row_number, walked_nonzeros);
    pack_words(packer, &out->row_first, system->row_first, walked ? order + 1 : 0);
    pack_words(packer, &out->row_column, system->row_column, walked_nonzeros);
    pack_words(packer, &out->row_entry, system->row_entry, walked_nonzeros);
    pack_constants(packer, out, system);
}

static void pack_all(struct packer *packer, struct plan_builder *b) {
    packer->used = (sizeof b->plan + 7) & ~(size_t)7;
    pack_program(packer, &b->plan.program, b->program);
    pack_slots(packer, b);
    pack_patterns(packer, b);
    pack_rows(packer, b);
    pack_system(packer, &b->plan.system, &b->system);
}

void plan_pack(struct plan **out, struct plan_builder *b) {
    struct packer packer = {.block = NULL};
    if (b->status != HN_OK)
        return;
    pack_all(&packer, b);
    if (packer.overflow) {
        b->status =
            error_set(b->error, HN_LIMIT, "the model is too large for a layer: its lists exceed 32-bit offsets");
        return;
    }
    packer.block = base_allocate(packer.used);
    if (!packer.block) {
        b->status = error_no_memory(b->error, "the layer");
        return;
    }
    pack_all(&packer, b);
    b->plan.bytes = packer.used;
    memcpy(packer.block, &b->plan, sizeof b->plan);
    *out = (struct plan *)(void *)packer.block;
}
