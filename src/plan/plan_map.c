/* plan_map.c - classifies rows, assigns slots to vectors, and creates the linear system. Part of plan_create.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/size.h"
#include "plan/methods.h"
#include "plan/plan_builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* From these orders on, dense systems are faster one sample at a time: if most rows are affine, so that J J' is
 * computed once, and if lanes share the work of evaluation. */
static const size_t TILED_AFFINE = 48, TILED_OTHERS = 160;

/* Columns may be kept out of any system if eps stays above this: the remaining condition number may reach 1 / eps. */
static const double BORDER_EPS = 0x1p-30;

/* Executors address the numbers of all lanes by 32 bits. */
static const size_t MOST_SLOTS = (size_t)1 << 28, MOST_PROGRAM = (size_t)1 << 27;

/* ---- options ---- */

static struct sample_options sample_options_of(const hn_layer_options *o) {
    const struct method *method = method_of(o->method);
    double share = o->effort < 1 ? o->effort : 1;
    return (struct sample_options){
        .damping = o->damping,
        .tolerance = o->tolerance,
        .method = (int32_t)o->method,
        .iterations = (int32_t)ceil(share * o->iterations),
        .weighted = method->rows == ROWS_VIOLATED,
        .stops = method->ends == ENDS_TOLERANCE,
        .pivots = method->ends == ENDS_PIVOT,
        .adaptive = method->eps == EPS_TIED || (method->eps == EPS_ADAPTED && o->damping < 0),
        .relative = o->relative,
    };
}

/* ---- rows ---- */

/* One row per bounded output for clipping: the last one, because bounds of variables come last. */
static bool find_clip(struct plan_builder *b) {
    size_t outputs = b->problem.outputs;
    uint32_t *last = arena_take(&b->arena, outputs + 1, sizeof *last);
    for (size_t j = 0; last && j < outputs; j++)
        last[j] = UINT32_MAX;
    for (size_t k = 0; last && k < b->bounds.count; k++)
        last[b->bounds.output[k]] = b->bounds.row[k];
    for (size_t j = 0; last && j < outputs; j++)
        if (last[j] != UINT32_MAX)
            plan_add_pair(&b->clip, last[j], j);
    return last != NULL;
}

static bool find_joint(struct plan_builder *b) {
    size_t rows = b->problem.rows;
    const uint32_t *lower = plan_row_slots(b) + rows, *upper = lower + rows;
    b->joint = arena_take(&b->arena, rows + 1, sizeof *b->joint);
    for (size_t i = 0; b->joint && i < rows; i++)
        if (b->jacobian.first[i + 1] - b->jacobian.first[i] > 1 && lower[i] != upper[i])
            b->joint[b->joint_count++] = (uint32_t)i;
    return b->joint != NULL;
}

static bool find_bounded(struct plan_builder *b) {
    size_t rows = b->problem.rows, constants = b->program->constant_count;
    const uint32_t *lower = plan_row_slots(b) + rows, *upper = lower + rows;
    b->bounded = arena_take(&b->arena, rows + 1, sizeof *b->bounded);
    for (size_t i = 0; b->bounded && i < rows; i++)
        if (lower[i] >= constants || upper[i] >= constants)
            b->bounded[b->bounded_count++] = (uint32_t)i;
    return b->bounded != NULL;
}

static hn_status find_rows(struct plan_builder *b, hn_error *error) {
    bool found = plan_take_pairs(b, &b->clip) && find_clip(b) && find_joint(b) && find_bounded(b);
    return found ? HN_OK : error_no_memory(error, "the layer");
}

/* ---- slots ---- */

static uint32_t plan_map_take(struct plan *plan, size_t count) {
    uint32_t slot = plan->slots;
    plan->slots += (uint32_t)count;
    return slot;
}

static void map_rows(struct plan *plan) {
    size_t rows = plan->rows;
    plan->residual = plan_map_take(plan, rows);
    plan->summary = plan_map_take(plan, SUMMARY_COUNT);
    plan->eps = plan_map_take(plan, 1);
    plan->right = plan->residual;
    if (!plan->options.weighted)
        return;
    plan->matrix = plan_map_take(plan, plan->entries);
    plan->scale = plan_map_take(plan, rows);
    plan->active = plan_map_take(plan, rows);
    plan->right = plan_map_take(plan, rows);
    plan->shift = plan_map_take(plan, rows);
}

static void map_vectors(struct plan *plan) {
    size_t outputs = plan->outputs, most = plan->rows > outputs ? plan->rows : outputs;
    plan->best = plan_map_take(plan, outputs);
    plan->base = plan->options.weighted ? plan_map_take(plan, outputs) : plan->y;
    plan->raw = plan->options.method == HN_METHOD_AUTO ? plan_map_take(plan, outputs) : plan->best;
    plan->unknown = plan_map_take(plan, most);
    plan->step = plan_map_take(plan, outputs);
    plan->gradient = plan_map_take(plan, outputs);
    plan->work = plan_map_take(plan, most);
    plan->grad_x = plan_map_take(plan, plan->inputs);
    plan->largest = plan_map_take(plan, 1);
    plan->step_squares = plan_map_take(plan, 1);
    plan->step_gain = plan_map_take(plan, 1);
}

static void map_adjoint(struct plan *plan, const struct program *program) {
    bool weighted = plan->options.weighted;
    plan->pulled = (uint32_t)program->leaf_slot[SPACE_LAMBDA];
    plan->leaf_q = (uint32_t)program->leaf_slot[SPACE_Q];
    plan->leaf_v = (uint32_t)program->leaf_slot[SPACE_V];
    plan->leaf_t = (uint32_t)program->leaf_slot[SPACE_T];
    plan->leaf_s = (uint32_t)program->leaf_slot[SPACE_S];
    plan->kept = weighted ? plan_map_take(plan, plan->rows) : plan->pulled;
    plan->q = weighted ? plan_map_take(plan, plan->rows) : plan->leaf_q;
    plan->v = weighted ? plan_map_take(plan, plan->rows) : plan->leaf_v;
    plan->damped = plan_map_take(plan, 1);
    plan->grad_lower = plan_map_take(plan, plan->rows);
    plan->grad_upper = plan_map_take(plan, plan->rows);
}

/* Reuses adjoint vectors, which a forward run does not need. */
static void map_elastic(struct plan *plan) {
    plan->slack_lower = plan->grad_lower;
    plan->slack_upper = plan->grad_upper;
    plan->force_lower = plan->q;
    plan->force_upper = plan->v;
    plan->reached = plan->kept;
    plan->change = plan->pulled;
    plan->column_scale = plan->leaf_t;
    plan->along = plan->leaf_s;
}

static void plan_tape(struct plan *plan) {
    uint32_t steps = (uint32_t)plan->options.iterations;
    bool shorter = plan->options.method == HN_METHOD_AUTO && steps > SAMPLE_ATTEMPT_STEPS;
    plan->tape_steps = shorter ? SAMPLE_ATTEMPT_STEPS : steps;
}

/* Checks memory before the lists of the system are created: per entry of J its column and slot, and two pairs in the
 * streams of products, all both in the builder and in the plan; its value as a constant, a coefficient and an entry of
 * A; and the slots of a sample. */
static hn_status check_memory(const struct plan_builder *b, hn_error *error) {
    const double per_entry = sizeof(uint32_t) * 2 * (2 + 4) + sizeof(double) * 2 * 3;
    const double bytes = per_entry * (double)b->jacobian.count + sizeof(double) * (double)b->program->slots;
    char what[160];
    snprintf(what, sizeof what, "the layer: %zu outputs under %zu rows with %zu derivatives", b->problem.outputs,
             b->problem.rows, b->jacobian.count);
    return machine_has(bytes, what, error);
}

/* Everything except the system's storage, which comes last. */
hn_status plan_map(struct plan_builder *b, hn_error *error) {
    const struct problem *p = &b->problem;
    const struct program *program = b->program;
    struct plan *plan = &b->plan;
    if (program->slots > MOST_PROGRAM || b->jacobian.count > MOST_PROGRAM)
        return error_set(error, HN_LIMIT, "the model is too large for a layer: %zu slots", program->slots);
    hn_status status = check_memory(b, error);
    if (status != HN_OK)
        return status;
    status = find_rows(b, error);
    plan->options = sample_options_of(b->options);
    plan->options.joint_rows = b->joint_count > 0;
    plan->inputs = (uint32_t)p->inputs;
    plan->outputs = (uint32_t)p->outputs;
    plan->rows = (uint32_t)p->rows;
    plan->entries = (uint32_t)b->jacobian.count;
    plan->slots = (uint32_t)program->slots;
    plan->x = (uint32_t)program->leaf_slot[SPACE_X];
    plan->y = (uint32_t)program->leaf_slot[SPACE_Y];
    map_rows(plan);
    map_vectors(plan);
    map_adjoint(plan, program);
    map_elastic(plan);
    plan_tape(plan);
    return status;
}

/* ---- the system ---- */

/* The constant entries of J, if A is J. */
static void known_entries(const struct plan_builder *b, const uint32_t *slots, double *fixed) {
    for (size_t e = 0; e < b->plan.entries; e++)
        fixed[e] = slots[e] < b->program->constant_count ? b->program->constants[slots[e]] : NAN;
}

/* Whether at least half of the rows have constant derivatives. */
static bool is_affine(const struct plan_builder *b) {
    const uint32_t *entries = plan_row_slots(b) + 3 * b->problem.rows;
    size_t affine = 0;
    for (size_t i = 0; i < b->problem.rows; i++) {
        bool constant = true;
        for (size_t e = b->jacobian.first[i]; e < b->jacobian.first[i + 1]; e++)
            constant = constant && entries[e] < b->program->constant_count;
        affine += constant;
    }
    return 2 * affine >= b->problem.rows;
}

/* Whether eps may be nearly 0 in most steps. */
static bool is_undamped(const struct sample_options *o) {
    return o->adaptive ? o->method == HN_METHOD_AUTO && o->damping == 0 : o->damping < BORDER_EPS;
}

static bool *every_row(struct plan_builder *b) {
    bool *rows = arena_take(&b->arena, b->problem.rows + 1, sizeof *rows);
    if (rows)
        memset(rows, true, b->problem.rows * sizeof *rows);
    return rows;
}

static hn_status build_system(struct plan_builder *b, const uint32_t *slots, const double *fixed, hn_error *error) {
    struct plan *plan = &b->plan;
    const struct sample_options *o = &plan->options;
    bool *undamped = is_undamped(o) ? every_row(b) : NULL;
    if (is_undamped(o) && !undamped)
        return error_no_memory(error, "the layer");
    const struct damped_request request = {
        .matrix = {plan->rows, plan->outputs, 1, b->jacobian.first, b->jacobian.column, slots, fixed},
        .rows_side_only = o->damping == 0 && o->method != HN_METHOD_AUTO,
        .fixed_shift = o->weighted ? NAN : o->damping,
        .shift = plan->shift,
        .shift_uniform = plan->eps,
        .storage = plan->slots,
        .tiled_from = is_affine(b) ? TILED_AFFINE : TILED_OTHERS,
        .may_border = true,
        .undamped = undamped,
    };
    hn_status status = damped_create(&b->system, &request, error);
    if (status == HN_OK && b->system.slots > MOST_SLOTS - plan->slots)
        return error_set(error, HN_LIMIT,
                         "the factor of the system has %zu entries, more than 32-bit offsets can address",
                         b->system.nonzeros);
    plan->options.outputs_side = b->system.outputs_side;
    plan->options.bordered = b->system.added > 0;
    plan->slots += (uint32_t)b->system.slots;
    return status;
}

/* A has separate storage. */
static hn_status system_with_weights(struct plan_builder *b, hn_error *error) {
    size_t count = b->plan.entries;
    uint32_t *slots = arena_take(&b->arena, count + 1, sizeof *slots);
    for (size_t e = 0; slots && e < count; e++)
        slots[e] = (uint32_t)(b->plan.matrix + e);
    return slots ? build_system(b, slots, NULL, error) : error_no_memory(error, "the layer");
}

static hn_status system_without_weights(struct plan_builder *b, hn_error *error) {
    const uint32_t *entries = plan_row_slots(b) + 3 * b->problem.rows;
    double *fixed = arena_take(&b->arena, (size_t)b->plan.entries + 1, sizeof *fixed);
    if (!fixed)
        return error_no_memory(error, "the layer");
    known_entries(b, entries, fixed);
    return build_system(b, entries, fixed, error);
}

hn_status plan_system(struct plan_builder *b, hn_error *error) {
    return b->plan.options.weighted ? system_with_weights(b, error) : system_without_weights(b, error);
}
