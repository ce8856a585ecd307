/* lanes_executor.c - the executor over SIMD lanes: interprets a plan's lists with the kernels of one instruction set;
 * forward entries.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/lanes_executor.h"

#include "base/error.h"
#include "base/memory.h"
#include "core/point.h"

#include <string.h>

/* ---- numbers and masks, one per lane ---- */

void lanes_put(const struct executor *x, double *slots, uint32_t slot, const double *numbers) {
    memcpy(slots + lanes_at(x, slot), numbers, x->width * sizeof *numbers);
}

bool lanes_flag(const struct executor *x, double *slots, uint32_t mask, const bool *flags) {
    bool any = false;
    for (uint32_t k = 0; k < x->width; k++) {
        int64_t bits = -(int64_t)flags[k];
        memcpy(slots + mask + k, &bits, sizeof bits);
        any = any || flags[k];
    }
    return any;
}

/* ---- memory: slots of the plan, slots of the executor, blocks ---- */

static size_t slots_of(const struct plan *plan, uint32_t width) {
    return ((size_t)plan->slots + LANES_OWN) * width;
}

/* Total size in doubles. */
static size_t memory_of(const struct lanes *own, const struct plan *plan) {
    const struct tiled *tiled = &own->tiled;
    if (own->system.kind != FACTOR_TILED)
        return slots_of(plan, own->width);
    return lanes_tiles_at(plan) + tiled_workspace(tiled->rows, tiled->columns, tiled->outputs_side);
}

static void fill_slot(const struct executor *x, double *slots, uint32_t slot, double value) {
    for (uint32_t k = 0; k < x->width; k++)
        slots[lanes_at(x, slot) + k] = value;
}

/* A single sample: constants have the same layout in the plan. */
enum { BEGIN_UNIT = 4096, BEGIN_JOB = 16 };

struct beginning {
    double *slots;
    size_t count, constants;
    const double *numbers;
    size_t first; /* unit of the present job */
};

static void begin_part(const void *context, void *own, size_t from, size_t to) {
    const struct beginning *b = context;
    size_t first = (b->first + from) * BEGIN_UNIT, end = (b->first + to) * BEGIN_UNIT;
    end = end < b->count ? end : b->count;
    size_t middle = b->constants < first ? first : b->constants < end ? b->constants : end;
    (void)own;
    if (middle > first)
        memcpy(b->slots + first, b->numbers + first, (middle - first) * sizeof *b->slots);
    memset(b->slots + middle, 0, (end - middle) * sizeof *b->slots);
}

/* Several jobs, because some helpers are still waking up. */
// NOLINTNEXTLINE(readability-non-const-parameter): the jobs write them
static void begin_one(const struct executor *x, double *slots) {
    const struct plan *plan = x->plan;
    struct beginning b = {slots, slots_of(plan, 1), plan->program.constants.count,
                          plan_numbers(plan, plan->program.constants), 0};
    size_t units = (b.count + BEGIN_UNIT - 1) / BEGIN_UNIT;
    for (b.first = 0; b.first < units; b.first += BEGIN_JOB) {
        size_t count = units - b.first < BEGIN_JOB ? units - b.first : BEGIN_JOB;
        const struct helpers_job job = {count, 1, 1, begin_part, &b, NULL};
        helpers_share(x->helpers, &job);
    }
}

static void begin_many(const struct executor *x, double *slots) {
    const struct plan *plan = x->plan;
    const double *constants = plan_numbers(plan, plan->program.constants);
    memset(slots, 0, slots_of(plan, x->width) * sizeof *slots);
    for (uint32_t i = 0; i < plan->program.constants.count; i++)
        fill_slot(x, slots, i, constants[i]);
}

static void lanes_begin(const struct executor *x, double *slots) {
    const struct plan *plan = x->plan;
    const uint32_t *slot = plan_words(plan, plan->system.constant_slot);
    const double *value = plan_numbers(plan, plan->system.constant_value);
    if (x->width == 1)
        begin_one(x, slots);
    else
        begin_many(x, slots);
    for (uint32_t i = 0; i < plan->system.constant_slot.count; i++)
        fill_slot(x, slots, slot[i], value[i]);
    if (plan->system.kind == FACTOR_TILED)
        lanes_of(x)->kernels.begin_tiled(&lanes_of(x)->tiled, slots);
}

static void lanes_load(const struct executor *x, double *slots, uint32_t slot, size_t count,
                       const double *const *from) {
    lanes_of(x)->kernels.load(slots, lanes_at(x, slot), count, from);
}

static void lanes_unload(const struct executor *x, const double *slots, uint32_t slot, size_t count,
                         double *const *to) {
    lanes_of(x)->kernels.unload(slots, lanes_at(x, slot), count, to);
}

static void lanes_copy(const struct executor *x, double *slots, uint32_t from, uint32_t to, size_t count,
                       const bool *flags) {
    const struct lanes *own = lanes_of(x);
    if (lanes_flag(x, slots, own->flags, flags))
        own->kernels.copy(slots, lanes_at(x, from), lanes_at(x, to), count, own->flags);
}

/* ---- products ---- */

void lanes_rows(const struct executor *x, double *slots, uint32_t from, uint32_t to) {
    const struct lanes *own = lanes_of(x);
    if (own->system.kind == FACTOR_TILED)
        own->kernels.rows_tiled(&own->tiled, slots, from, to, x->helpers);
    else
        own->kernels.multiply(&own->system.by_rows, slots, from, to);
}

void lanes_columns(const struct executor *x, double *slots, uint32_t from, uint32_t to, bool subtract) {
    const struct lanes *own = lanes_of(x);
    if (own->system.kind == FACTOR_TILED)
        own->kernels.columns_tiled(&own->tiled, slots, from, to, subtract, x->helpers);
    else if (subtract)
        own->kernels.multiply_subtract(&own->system.by_columns, slots, from, to);
    else
        own->kernels.multiply(&own->system.by_columns, slots, from, to);
}

/* ---- evaluation ---- */

static void lanes_prepare(const struct executor *x, double *slots) {
    lanes_of(x)->kernels.run(&lanes_of(x)->program, 0, slots);
}

void lanes_values(const struct executor *x, double *slots) {
    const struct lanes *own = lanes_of(x);
    if (own->tiled.block.values > 0)
        own->kernels.values_tiled(&own->tiled, slots, lanes_at(x, x->plan->y), x->helpers);
    own->kernels.run(&own->program, 1, slots);
}

static void lanes_evaluate(const struct executor *x, double *slots, const bool *fresh, bool brief) {
    const struct lanes *own = lanes_of(x);
    lanes_values(x, slots);
    if (fresh && lanes_flag(x, slots, own->flags, fresh))
        own->kernels.rescale(&own->rows, slots, own->flags);
    if (brief)
        own->kernels.residual_only(&own->rows, slots);
    else
        own->kernels.residual(&own->rows, slots);
}

static void lanes_weigh(const struct executor *x, double *slots, const struct executor_rows *rows) {
    const struct lanes *own = lanes_of(x);
    uint32_t step = lanes_at(x, x->plan->step);
    lanes_put(x, slots, x->plan->slots + LANES_HOLD, rows->hold);
    lanes_flag(x, slots, own->rows.leads, rows->leads);
    lanes_flag(x, slots, own->flags, rows->accepted);
    own->kernels.weigh(&own->rows, slots, own->flags);
    if (!lanes_flag(x, slots, own->holds, rows->holds))
        return;
    lanes_columns(x, slots, own->rows.right, step, false); /* A' W r; the step is computed later */
    own->kernels.hold_bounds(&own->rows, &own->clip, slots, step, own->holds);
}

static void lanes_largest(const struct executor *x, double *slots) {
    lanes_of(x)->kernels.largest(&lanes_of(x)->rows, slots, lanes_at(x, x->plan->largest));
}

/* ---- the step ---- */

void lanes_solve(const struct executor *x, double *slots, const struct damped_sides *sides) {
    const struct lanes *own = lanes_of(x);
    if (own->system.kind == FACTOR_TILED)
        own->kernels.solve_tiled(&own->tiled, slots, sides, x->helpers);
    else
        own->kernels.solve(&own->system, slots, sides);
}

/* step = A' (A A' + eps I)^-1 W r, on the rows' or the outputs' side. */
static void solve_step(const struct executor *x, double *slots) {
    const struct lanes *own = lanes_of(x);
    const struct plan *plan = x->plan;
    const struct backend *kernels = &own->kernels;
    uint32_t right = own->rows.right, step = lanes_at(x, plan->step), gain = lanes_at(x, plan->step_gain);
    bool judged = plan->options.adaptive;
    if (own->system.outputs_side) {
        uint32_t from = judged ? lanes_at(x, plan->gradient) : step;
        const struct damped_sides sides = {1, {from}, {step}};
        lanes_columns(x, slots, right, from, false);
        lanes_solve(x, slots, &sides);
        if (judged)
            kernels->inner(slots, step, from, plan->outputs, gain);
    } else {
        uint32_t unknown = lanes_at(x, plan->unknown);
        const struct damped_sides sides = {1, {right}, {unknown}};
        lanes_solve(x, slots, &sides);
        lanes_columns(x, slots, unknown, step, false);
        if (judged)
            kernels->inner(slots, unknown, right, plan->rows, gain);
    }
    if (judged)
        kernels->inner(slots, step, step, plan->outputs, lanes_at(x, plan->step_squares));
}

/* Clipping can turn a non-finite y into a finite one. */
// NOLINTNEXTLINE(readability-non-const-parameter): the mask is written through the point
static void recheck_finite(const struct executor *x, double *slots, const bool *clipped) {
    for (uint32_t k = 0; k < x->width; k++) {
        const struct point point = {x->plan, slots + k, x->width};
        uint32_t usable = x->plan->summary + SUMMARY_USABLE;
        size_t unused;
        if (clipped[k] && !point_mask(&point, usable))
            point_set_mask(&point, usable, point_finite(&point, x->plan->y, x->plan->outputs, &unused));
    }
}

void lanes_clip(const struct executor *x, double *slots, const bool *clipped) {
    const struct lanes *own = lanes_of(x);
    if (!clipped || !lanes_flag(x, slots, own->flags, clipped))
        return;
    own->kernels.clip(&own->clip, slots, lanes_at(x, x->plan->y), own->flags);
    recheck_finite(x, slots, clipped);
}

static void lanes_step(const struct executor *x, double *slots, const double *eps, const bool *clipped) {
    const struct lanes *own = lanes_of(x);
    const struct plan *plan = x->plan;
    uint32_t y = lanes_at(x, plan->y);
    if (eps) {
        lanes_put(x, slots, plan->eps, eps);
        own->kernels.shift(&own->rows, slots);
    }
    solve_step(x, slots);
    own->kernels.step(&own->rows, slots, lanes_at(x, plan->base), lanes_at(x, plan->step), y);
    lanes_clip(x, slots, clipped);
}

/* ---- creation ---- */

static hn_status open_with(struct executor *out, const struct plan *plan, const struct backend *kernels, uint32_t width,
                           hn_error *error) {
    struct lanes *own = base_allocate(sizeof *own);
    *out = (struct executor){.name = kernels->name};
    if (!own)
        return error_no_memory(error, "the layer");
    *own = (struct lanes){.kernels = *kernels, .width = width};
    *out = (struct executor){
        .name = kernels->name,
        .width = width,
        .plan = plan,
        .own = own,
        .begin = lanes_begin,
        .load = lanes_load,
        .unload = lanes_unload,
        .copy = lanes_copy,
        .prepare = lanes_prepare,
        .evaluate = lanes_evaluate,
        .weigh = lanes_weigh,
        .largest = lanes_largest,
        .step = lanes_step,
        .back = lanes_step_back,
    };
    bool bound = lanes_bind(own, plan);
    out->bytes = memory_of(own, plan) * sizeof(double);
    if (bound)
        return HN_OK;
    executor_close(out);
    return error_no_memory(error, "the layer");
}

hn_status executor_check(hn_instructions instructions, hn_error *error) {
    struct backend kernels;
    return backend_choose(&kernels, instructions, error);
}

hn_status executor_open_lanes(struct executor *out, const struct plan *plan, hn_instructions instructions,
                              hn_error *error) {
    struct backend kernels;
    hn_status status = backend_choose(&kernels, instructions, error);
    *out = (struct executor){.name = "none"};
    if (status != HN_OK || plan->system.kind != FACTOR_TILED)
        return status == HN_OK ? open_with(out, plan, &kernels, LANES, error) : status;
    struct backend single = backend_single();
    single.name = kernels.name;
    single.solve_tiled = kernels.solve_tiled;
    single.begin_tiled = kernels.begin_tiled;
    single.values_tiled = kernels.values_tiled;
    single.rows_tiled = kernels.rows_tiled;
    single.columns_tiled = kernels.columns_tiled;
    single.gram_tiled = kernels.gram_tiled;
    single.turn_tiled = kernels.turn_tiled;
    return open_with(out, plan, &single, 1, error);
}

hn_status executor_open_single(struct executor *out, const struct plan *plan, hn_error *error) {
    const struct backend kernels = backend_single();
    return open_with(out, plan, &kernels, 1, error);
}

void executor_close(struct executor *executor) {
    struct lanes *own = executor->own;
    if (own) {
        arena_release(&own->arena);
        base_release(own);
    }
    *executor = (struct executor){.name = "none"};
}
