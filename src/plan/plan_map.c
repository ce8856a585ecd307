/* plan_map.c - classifies rows, assigns slots to vectors, and creates the linear system. Part of plan_create.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/machine.h"
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

/* ---- methods and options ---- */

#define METHOD_NUMBER(id, ...) METHOD_##id,
#define METHOD_CHECK(id, ...)  _Static_assert((int)METHOD_##id == (int)HN_METHOD_##id, "the lists differ");
#define METHOD_ENTRY(id, iterations, damping, eps, rows, ends, goes_on)                                                \
    {iterations, damping, EPS_##eps, ROWS_##rows, ENDS_##ends, GOES_ON_##goes_on},

enum { METHOD_LIST(METHOD_NUMBER) METHODS };
METHOD_LIST(METHOD_CHECK)
_Static_assert((int)METHODS == (int)HN_METHOD_COUNT, "a method has no line in methods.h");

const struct method *method_of(hn_method method) {
    static const struct method methods[HN_METHOD_COUNT] = {METHOD_LIST(METHOD_ENTRY)};
    return &methods[method];
}

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
static void find_clip(struct plan_builder *b) {
    size_t outputs = b->problem.outputs;
    uint32_t *last = plan_take(b, outputs, sizeof *last);
    b->clip = plan_take_pairs(b);
    if (b->status != HN_OK)
        return;
    for (size_t j = 0; j < outputs; j++)
        last[j] = UINT32_MAX;
    for (size_t k = 0; k < b->bounds.count; k++)
        last[b->bounds.output[k]] = b->bounds.row[k];
    for (size_t j = 0; j < outputs; j++)
        if (last[j] != UINT32_MAX)
            plan_add_pair(&b->clip, last[j], j);
}

/* Joint rows: inequalities in several outputs. Bounded rows: a bound depends on x. */
static void find_rows(struct plan_builder *b) {
    size_t rows = b->problem.rows, constants = b->program->constant_count;
    const uint32_t *lower = plan_row_slots(b) + rows, *upper = lower + rows;
    b->joint = plan_take(b, rows, sizeof *b->joint);
    b->bounded = plan_take(b, rows, sizeof *b->bounded);
    for (size_t i = 0; i < rows && b->status == HN_OK; i++) {
        if (b->jacobian.first[i + 1] - b->jacobian.first[i] > 1 && lower[i] != upper[i] && !plan_in_block(b, i))
            b->joint[b->joint_count++] = (uint32_t)i;
        if (lower[i] >= constants || upper[i] >= constants)
            b->bounded[b->bounded_count++] = (uint32_t)i;
    }
}

/* ---- slots ---- */

static uint32_t take_slots(struct plan *plan, size_t count) {
    uint32_t slot = plan->slots;
    plan->slots += (uint32_t)count;
    return slot;
}

static void map_rows(struct plan *plan) {
    size_t rows = plan->rows;
    plan->residual = take_slots(plan, rows);
    plan->summary = take_slots(plan, SUMMARY_COUNT);
    plan->eps = take_slots(plan, 1);
    plan->right = plan->residual;
    if (!plan->options.weighted)
        return;
    plan->matrix = take_slots(plan, plan->entries);
    plan->scale = take_slots(plan, rows);
    plan->active = take_slots(plan, rows);
    plan->right = take_slots(plan, rows);
    plan->shift = take_slots(plan, rows);
}

static void map_blocks(struct plan *plan, struct plan_builder *b) {
    for (size_t k = 0; k < b->block_count; k++)
        b->blocks[k].storage = take_slots(plan, set_storage(&b->blocks[k]));
}

static void map_vectors(struct plan *plan) {
    size_t outputs = plan->outputs, most = plan->rows > outputs ? plan->rows : outputs;
    plan->best = take_slots(plan, outputs);
    plan->base = plan->options.weighted ? take_slots(plan, outputs) : plan->y;
    plan->raw = plan->options.method == HN_METHOD_AUTO ? take_slots(plan, outputs) : plan->best;
    plan->unknown = take_slots(plan, most);
    plan->step = take_slots(plan, outputs);
    plan->gradient = take_slots(plan, outputs);
    plan->work = take_slots(plan, most);
    plan->grad_x = take_slots(plan, plan->inputs);
    plan->largest = take_slots(plan, 1);
    plan->step_squares = take_slots(plan, 1);
    plan->step_gain = take_slots(plan, 1);
}

static void map_adjoint(struct plan *plan, const struct program *program) {
    bool weighted = plan->options.weighted;
    plan->pulled = (uint32_t)program->leaf_slot[SPACE_LAMBDA];
    plan->leaf_q = (uint32_t)program->leaf_slot[SPACE_Q];
    plan->leaf_v = (uint32_t)program->leaf_slot[SPACE_V];
    plan->leaf_t = (uint32_t)program->leaf_slot[SPACE_T];
    plan->leaf_s = (uint32_t)program->leaf_slot[SPACE_S];
    plan->kept = weighted ? take_slots(plan, plan->rows) : plan->pulled;
    plan->q = weighted ? take_slots(plan, plan->rows) : plan->leaf_q;
    plan->v = weighted ? take_slots(plan, plan->rows) : plan->leaf_v;
    plan->damped = take_slots(plan, 1);
    plan->grad_lower = take_slots(plan, plan->rows);
    plan->grad_upper = take_slots(plan, plan->rows);
}

/* Reuses adjoint vectors, which are unused in a forward run. */
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

/* Checks the required memory before the lists of the system are created. Per entry of J: its column and slot, and two
 * pairs in the streams of products, in the builder and in the plan; its value as a constant, a coefficient and an entry
 * of A. Then the slots of a sample. */
static void check_memory(struct plan_builder *b) {
    const double per_entry = sizeof(uint32_t) * 2 * (2 + 4) + sizeof(double) * 2 * 3;
    const double bytes = per_entry * (double)b->jacobian.count + sizeof(double) * (double)b->program->slots;
    char what[160];
    snprintf(what, sizeof what, "the layer: %zu outputs under %zu rows with %zu derivatives", b->problem.outputs,
             b->problem.rows, b->jacobian.count);
    b->status = machine_has(bytes, what, b->error);
}

/* Everything except the system's storage, which comes last. */
void plan_map(struct plan_builder *b) {
    const struct problem *p = &b->problem;
    const struct program *program = b->program;
    struct plan *plan = &b->plan;
    if (b->status == HN_OK && (program->slots > MOST_PROGRAM || b->jacobian.count > MOST_PROGRAM))
        b->status = error_set(b->error, HN_LIMIT, "the model is too large for a layer: %zu slots", program->slots);
    if (b->status == HN_OK)
        check_memory(b);
    if (b->status != HN_OK)
        return;
    find_clip(b);
    find_rows(b);
    plan->options = sample_options_of(b->options);
    plan->options.joint_rows = b->joint_count > 0;
    plan->options.blocks = b->block_count > 0;
    plan->inputs = (uint32_t)p->inputs;
    plan->outputs = (uint32_t)p->outputs;
    plan->rows = (uint32_t)p->rows;
    plan->entries = (uint32_t)b->jacobian.count;
    plan->slots = (uint32_t)program->slots;
    plan->x = (uint32_t)program->leaf_slot[SPACE_X];
    plan->y = (uint32_t)program->leaf_slot[SPACE_Y];
    map_rows(plan);
    map_blocks(plan, b);
    map_vectors(plan);
    map_adjoint(plan, program);
    map_elastic(plan);
    plan_tape(plan);
}

/* ---- the system ---- */

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

/* A is W J with separate storage, or J itself; fixed: the constant entries of J, if A is J. */
static void build_system(struct plan_builder *b, const uint32_t *slots, const double *fixed, const bool *undamped) {
    struct plan *plan = &b->plan;
    const struct sample_options *o = &plan->options;
    const struct damped_request request = {
        .matrix = {plan->rows, plan->outputs, 1, b->jacobian.first, b->jacobian.column, slots, fixed},
        .rows_side_only = o->damping == 0 && o->method != HN_METHOD_AUTO,
        .fixed_shift = o->weighted ? NAN : o->damping,
        .shift = plan->shift,
        .shift_uniform = plan->eps,
        .storage = plan->slots,
        .tiled_from = b->block_count > 0 ? 0
                      : is_affine(b)     ? TILED_AFFINE
                                         : TILED_OTHERS,
        .may_border = true,
        .undamped = undamped,
    };
    b->status = damped_create(&b->system, &request, b->error);
    if (b->status == HN_OK && b->system.slots > MOST_SLOTS - plan->slots)
        b->status = error_set(b->error, HN_LIMIT,
                              "the factor of the system has %zu entries, more than 32-bit offsets can address",
                              b->system.nonzeros);
    if (b->status != HN_OK)
        return;
    plan->options.outputs_side = b->system.outputs_side;
    plan->options.bordered = b->system.added > 0;
    plan->slots += (uint32_t)b->system.slots;
}

void plan_system(struct plan_builder *b) {
    const struct sample_options *o = &b->plan.options;
    const uint32_t *entries = b->status == HN_OK ? plan_row_slots(b) + 3 * b->problem.rows : NULL;
    size_t count = b->plan.entries, rows = b->problem.rows;
    uint32_t *slots = o->weighted ? plan_take(b, count, sizeof *slots) : NULL;
    double *fixed = o->weighted ? NULL : plan_take(b, count, sizeof *fixed);
    bool *undamped = is_undamped(o) ? plan_take(b, rows, sizeof *undamped) : NULL; /* every row */
    if (b->status != HN_OK)
        return;
    for (size_t e = 0; e < count; e++)
        if (slots)
            slots[e] = (uint32_t)(b->plan.matrix + e);
        else
            fixed[e] = entries[e] < b->program->constant_count ? b->program->constants[entries[e]] : NAN;
    if (undamped)
        memset(undamped, true, rows * sizeof *undamped);
    build_system(b, slots ? slots : entries, fixed, undamped);
}
