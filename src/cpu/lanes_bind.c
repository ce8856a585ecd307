/* lanes_bind.c - makes the tasks of the kernels from a plan: lists of slots become lists of offsets.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/lanes_executor.h"

#include <string.h>

/* ---- lists ---- */

void *lanes_take(struct lanes *lanes, struct arena *arena, size_t count, size_t size) {
    void *memory = arena_take(arena, count + 1, size);
    lanes->failed = lanes->failed || !memory;
    return memory;
}

static uint32_t *take_list(struct lanes *lanes, size_t count) {
    return lanes_take(lanes, &lanes->arena, count, sizeof(uint32_t));
}

static uint32_t *plain(const struct plan *plan, struct plan_list list) {
    return (uint32_t *)plan_words(plan, list);
}

/* A mutable copy of the list, if its numbers are scaled. */
static uint32_t *copied(struct lanes *lanes, const struct plan *plan, struct plan_list list) {
    if (lanes->width == 1)
        return plain(plan, list);
    uint32_t *copy = take_list(lanes, list.count);
    if (copy && list.count)
        memcpy(copy, plan_words(plan, list), list.count * sizeof *copy);
    return copy;
}

/* Slots as offsets. Kernels only read lists, so a list that does not change is not copied. */
static uint32_t *offsets(struct lanes *lanes, const struct plan *plan, struct plan_list list) {
    uint32_t *out = copied(lanes, plan, list);
    for (size_t i = 0; lanes->width > 1 && out && i < list.count; i++)
        out[i] *= lanes->width;
    return out;
}

static struct lanes_entries entries_of(struct lanes *lanes, const struct plan *plan, struct plan_entries entries) {
    return (struct lanes_entries){entries.slot.count, offsets(lanes, plan, entries.slot),
                                  offsets(lanes, plan, entries.entry)};
}

/* ---- the program ---- */

static struct instruction *code_of(struct lanes *lanes, const struct plan *plan) {
    const struct instruction *from = plan_code(plan);
    size_t count = plan->program.code.count;
    if (lanes->width == 1)
        return (struct instruction *)from;
    struct instruction *code = lanes_take(lanes, &lanes->arena, count, sizeof *code);
    for (size_t i = 0; code && i < count; i++)
        code[i] = instruction_widen(from[i], lanes->width);
    return code;
}

static void bind_program(struct lanes *lanes, const struct plan *plan) {
    struct program *program = &lanes->program;
    program->stride = lanes->width;
    program->code = code_of(lanes, plan);
    program->pairs = offsets(lanes, plan, plan->program.pairs);
    program->coefficients = (double *)plan_numbers(plan, plan->program.coefficients);
    program->columns = offsets(lanes, plan, plan->program.columns);
    for (int phase = 0; phase <= PHASES; phase++)
        program->first[phase] = plan->program.first[phase];
}

/* ---- the system ---- */

static struct product product_of(struct lanes *lanes, const struct plan *plan, struct plan_list list, size_t results) {
    uint32_t *stream = copied(lanes, plan, list);
    if (stream && lanes->width > 1)
        stream_scale_product(stream, results, lanes->width);
    return (struct product){.count = results, .words = list.count, .stream = stream};
}

static uint32_t *stream_of(struct lanes *lanes, const struct plan_system *system, const struct plan *plan) {
    uint32_t *stream = copied(lanes, plan, system->stream);
    if (stream && lanes->width > 1)
        stream_scale_factor(stream, (enum factor_kind)system->kind, system->order, lanes->width);
    return stream;
}

static void bind_system(struct lanes *lanes, const struct plan *plan) {
    const struct plan_system *from = &plan->system;
    uint32_t width = lanes->width;
    lanes->system = (struct damped){
        .outputs_side = plan->options.outputs_side,
        .kind = (enum factor_kind)from->kind,
        .order = from->order,
        .nonzeros = from->nonzeros,
        .added = from->added,
        .lower = from->lower * width,
        .negated = from->negated * width,
        .inverse = from->inverse * width,
        .pivot_range = from->pivot_range * width,
        .zero = from->zero * width,
        .solution = from->solution * width,
        .by_rows = product_of(lanes, plan, from->by_rows, plan->rows),
        .by_columns = product_of(lanes, plan, from->by_columns, plan->outputs),
        .words = from->stream.count,
        .stream = stream_of(lanes, from, plan),
        .permutation = offsets(lanes, plan, from->permutation),
        .column_first = plain(plan, from->column_first),
        .row_offset = offsets(lanes, plan, from->row_unknown),
        .row_number = plain(plan, from->row_number),
        .row_first = plain(plan, from->row_first),
        .row_column = plain(plan, from->row_column),
        .row_entry = plain(plan, from->row_entry),
    };
}

/* ---- rows ---- */

static const struct set_block *blocks_of(struct lanes *lanes, const struct plan *plan) {
    const struct set_block *from = plan_bytes_at(plan, plan->blocks);
    if (lanes->width == 1 || plan->blocks.count == 0)
        return from;
    struct set_block *blocks = lanes_take(lanes, &lanes->arena, plan->blocks.count, sizeof *blocks);
    for (size_t i = 0; blocks && i < plan->blocks.count; i++) {
        blocks[i] = from[i];
        blocks[i].storage *= lanes->width;
    }
    return blocks;
}

static void bind_rows(struct lanes *lanes, const struct plan *plan) {
    uint32_t width = lanes->width, own = plan->slots * width;
    lanes->flags = own + LANES_FLAGS * width;
    lanes->holds = own + LANES_HOLDS * width;
    lanes->rows = (struct rows_task){
        .rows = plan->rows,
        .columns = plan->outputs,
        .value = offsets(lanes, plan, plan->value),
        .lower = offsets(lanes, plan, plan->lower),
        .upper = offsets(lanes, plan, plan->upper),
        .residual = plan->residual * width,
        .summary = plan->summary * width,
        .relative = plan->options.relative,
        .weighted = plan->options.weighted,
        .first = plan_words(plan, plan->jacobian.first),
        .entry = offsets(lanes, plan, plan->jacobian.slot),
        .matrix = plan->matrix * width,
        .scale = plan->scale * width,
        .active = plan->active * width,
        .right = plan->right * width,
        .shift = plan->shift * width,
        .eps = plan->eps * width,
        .hold = own + LANES_HOLD * width,
        .leads = own + LANES_LEADS * width,
        .block_count = plan->blocks.count,
        .blocks = blocks_of(lanes, plan),
        .column = plan_words(plan, plan->jacobian.column),
        .outputs_side = plan->options.outputs_side,
        .undamped = plan->options.weighted && !plan->options.adaptive && plan->options.damping == 0,
    };
}

/* Offsets of the bounds of clipped outputs, from their rows. */
static uint32_t *bounds_of(struct lanes *lanes, const struct plan *plan, const uint32_t *bounds) {
    const uint32_t *row = plan_words(plan, plan->clip.slot);
    uint32_t *list = take_list(lanes, plan->clip.slot.count);
    for (size_t e = 0; list && bounds && e < plan->clip.slot.count; e++)
        list[e] = bounds[row[e]];
    return list;
}

static void bind_clip(struct lanes *lanes, const struct plan *plan) {
    lanes->clip = (struct clip_task){
        .count = plan->clip.slot.count,
        .offset = offsets(lanes, plan, plan->clip.entry),
        .lower = bounds_of(lanes, plan, lanes->rows.lower),
        .upper = bounds_of(lanes, plan, lanes->rows.upper),
        .row = plain(plan, plan->clip.slot),
    };
}

static void bind_adjoint(struct lanes *lanes, const struct plan *plan) {
    uint32_t width = lanes->width;
    lanes->adjoint = (struct adjoint_task){
        .damped = plan->damped * width,
        .q = plan->q * width,
        .v = plan->v * width,
        .kept = plan->kept * width,
        .pulled = plan->pulled * width,
        .leaf_q = plan->leaf_q * width,
        .leaf_v = plan->leaf_v * width,
        .grad_lower = plan->grad_lower * width,
        .grad_upper = plan->grad_upper * width,
        .gradient = plan->gradient * width,
        .leaf_t = plan->leaf_t * width,
        .leaf_s = plan->leaf_s * width,
    };
    lanes->bracket_y = entries_of(lanes, plan, plan->bracket_y);
    lanes->bracket_x = entries_of(lanes, plan, plan->bracket_x);
    lanes->pull_x = entries_of(lanes, plan, plan->pull_x);
}

bool lanes_bind(struct lanes *lanes, const struct plan *plan) {
    bind_program(lanes, plan);
    bind_system(lanes, plan);
    bind_rows(lanes, plan);
    if (plan->system.kind == FACTOR_TILED)
        lanes_bind_tiled(lanes, plan);
    bind_clip(lanes, plan);
    bind_adjoint(lanes, plan);
    return !lanes->failed;
}
