/* kernel_executor.c - the executor over lanes with generated arithmetic: it runs the entries in order.
 *
 * Masks and numbers of samples go into slots, then an entry of the kernel runs, or the listed kernel if the entry is
 * not generated. The listed kernels run rare parts (clipping, fixing outputs on their bounds, and the adjoints of both)
 * and parts that are too large (size_limits.h).
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "codegen/kernel/kernel_parts.h"

static const struct kernel_table *table_of(const struct executor *x) {
    return ((const struct generated *)x->own)->table;
}

/* False when the entry is not generated. */
static bool run_entry(const struct executor *x, double *slots, enum kernel_entry entry) {
    kernel_function *function = table_of(x)->entry[entry];
    if (function)
        function(slots);
    return function != NULL;
}

/* ---- evaluation ---- */

static void kernel_prepare(const struct executor *x, double *slots) {
    if (!run_entry(x, slots, KERNEL_PREPARE))
        lanes_of(x)->kernels.run(&lanes_of(x)->program, 0, slots);
}

static void kernel_evaluate(const struct executor *x, double *slots, const bool *fresh, bool brief) {
    const struct lanes *own = lanes_of(x);
    if (!run_entry(x, slots, KERNEL_EVALUATE))
        lanes_values(x, slots);
    if (fresh && lanes_flag(x, slots, own->flags, fresh) && !run_entry(x, slots, KERNEL_RESCALE))
        own->kernels.rescale(&own->rows, slots, own->flags);
    if (run_entry(x, slots, brief ? KERNEL_RESIDUAL_BRIEF : KERNEL_RESIDUAL))
        return;
    if (brief)
        own->kernels.residual_only(&own->rows, slots);
    else
        own->kernels.residual(&own->rows, slots);
}

static void put_rows(const struct executor *x, double *slots, const struct executor_rows *rows) {
    lanes_put(x, slots, x->plan->slots + LANES_HOLD, rows->hold);
    lanes_flag(x, slots, lanes_of(x)->rows.leads, rows->leads);
    lanes_flag(x, slots, lanes_of(x)->flags, rows->accepted);
}

static void kernel_weigh(const struct executor *x, double *slots, const struct executor_rows *rows) {
    const struct lanes *own = lanes_of(x);
    uint32_t step = lanes_at(x, x->plan->step);
    bool all = true;
    put_rows(x, slots, rows);
    for (uint32_t k = 0; k < x->width; k++)
        all = all && rows->accepted[k];
    run_entry(x, slots, all ? KERNEL_WEIGH_ALL : KERNEL_WEIGH);
    if (!lanes_flag(x, slots, own->holds, rows->holds))
        return;
    own->kernels.multiply(&own->system.by_columns, slots, own->rows.right, step); /* A' W r; the step follows later */
    own->kernels.hold_bounds(&own->rows, &own->clip, slots, step, own->holds);
}

static void kernel_largest(const struct executor *x, double *slots) {
    run_entry(x, slots, KERNEL_LARGEST);
}

/* ---- the step ---- */

/* Runs an entry; if the kernel does not solve the system, the listed kernels solve it, and the next entry follows. */
static void run_solve(const struct executor *x, double *slots, enum kernel_entry entry, const struct damped_sides *rows,
                      const struct damped_sides *outputs) {
    run_entry(x, slots, entry);
    if (table_of(x)->solves)
        return;
    lanes_solve(x, slots, x->plan->options.outputs_side ? outputs : rows);
    run_entry(x, slots, entry + 1);
}

static void kernel_step(const struct executor *x, double *slots, const double *eps, const bool *clipped) {
    const struct plan *plan = x->plan;
    uint32_t step = lanes_at(x, plan->step), from = plan->options.adaptive ? lanes_at(x, plan->gradient) : step;
    const struct damped_sides rows = {1, {lanes_of(x)->rows.right}, {lanes_at(x, plan->unknown)}};
    const struct damped_sides outputs = {1, {from}, {step}};
    if (eps)
        lanes_put(x, slots, plan->eps, eps);
    run_solve(x, slots, KERNEL_STEP_BEGIN, &rows, &outputs);
    lanes_clip(x, slots, clipped);
}

static bool kernel_step_near(const struct executor *x, double *slots, const struct executor_rows *rows,
                             const double *eps) {
    put_rows(x, slots, rows);
    lanes_put(x, slots, x->plan->eps, eps);
    return table_of(x)->near(slots) != 0;
}

/* ---- rounds ---- */

static void kernel_go_on(const struct executor *x, double *slots, struct fused_iterations *rounds) {
    struct kernel_rounds all = {.count = rounds->count};
    for (uint32_t k = 0; k < x->width; k++) {
        all.busy[k] = -(int64_t)rounds->busy[k];
        all.best[k] = rounds->best[k];
        all.tape[k] = rounds->tape[k];
    }
    table_of(x)->rounds(slots, &all);
    for (uint32_t k = 0; k < x->width; k++) {
        rounds->best[k] = all.best[k];
        rounds->best_at[k] = (int)all.best_at[k];
        rounds->done[k] = (int)all.done[k];
    }
}

static void kernel_near_rounds(const struct executor *x, double *slots, struct fused_auto *rounds) {
    table_of(x)->near_rounds(slots, rounds);
}

/* ---- one step of the adjoint ---- */

static void solve_back(const struct executor *x, double *slots) {
    const struct lanes *own = lanes_of(x);
    const struct plan *plan = x->plan;
    uint32_t step = lanes_at(x, plan->step), gradient = lanes_at(x, plan->gradient), work = lanes_at(x, plan->work);
    const struct damped_sides rows = {2, {own->rows.right, work}, {own->adjoint.v, own->adjoint.q}};
    const struct damped_sides outputs = {2, {step, gradient}, {lanes_at(x, plan->leaf_s), lanes_at(x, plan->leaf_t)}};
    run_solve(x, slots, KERNEL_BACK_BEGIN, &rows, &outputs);
}

static void unclip(const struct executor *x, double *slots, const bool *clipped) {
    bool any = false;
    for (uint32_t k = 0; k < x->width; k++)
        any = any || clipped[k];
    if (!any)
        return;
    lanes_of(x)->kernels.shift(&lanes_of(x)->rows, slots);
    lanes_unclip(x, slots, clipped);
}

static void kernel_back(const struct executor *x, double *slots, const struct executor_back *step) {
    const struct lanes *own = lanes_of(x);
    bool weighted = x->plan->options.weighted;
    if (weighted) {
        lanes_put(x, slots, x->plan->eps, step->eps);
        unclip(x, slots, step->clipped);
    }
    solve_back(x, slots);
    if (weighted)
        lanes_weigh_damping(x, slots, step->slope);
    run_entry(x, slots, step->bounds || weighted ? KERNEL_BACK_ROWS_BOUNDS : KERNEL_BACK_ROWS);
    if (!run_entry(x, slots, KERNEL_BACK_PROGRAM))
        own->kernels.run(&own->program, 2, slots);
    run_entry(x, slots, KERNEL_BACK_END);
}

static bool kernel_go_back(const struct executor *x, double *slots, const struct fused_adjoint *way) {
    struct kernel_back_rounds all = {.count = way->count};
    for (uint32_t k = 0; k < x->width; k++)
        all.tape[k] = way->tape[k];
    return table_of(x)->back_rounds(slots, &all) != 0;
}

/* ---- open and close ---- */

static void take_entries(struct executor *out, const struct kernel_table *table) {
    size_t bytes = (size_t)table->slots * out->width * sizeof(double);
    out->bytes = bytes > out->bytes ? bytes : out->bytes;
    out->prepare = kernel_prepare;
    out->evaluate = kernel_evaluate;
    if (table->entry[KERNEL_WEIGH])
        out->weigh = kernel_weigh;
    if (table->entry[KERNEL_LARGEST])
        out->largest = kernel_largest;
    if (table->entry[KERNEL_STEP_BEGIN])
        out->step = kernel_step;
    if (table->adjoint && table->entry[KERNEL_BACK_ROWS_BOUNDS])
        out->back = kernel_back;
    if (table->rounds)
        out->go_on = kernel_go_on;
    if (table->adjoint && table->back_rounds)
        out->go_back = kernel_go_back;
    if (table->near)
        out->step_near = kernel_step_near;
    if (table->near_rounds)
        out->near_rounds = kernel_near_rounds;
}

hn_status executor_open_kernel(struct executor *out, const struct plan *plan, const struct kernel *kernel,
                               hn_error *error) {
    hn_status status = executor_open_lanes(out, plan, kernel->instructions, error);
    if (status != HN_OK)
        return status;
    struct generated *own = base_allocate(sizeof *own);
    if (!own) {
        executor_close(out);
        return error_no_memory(error, "the layer");
    }
    *own = (struct generated){*lanes_of(out), kernel->table};
    base_release(out->own);
    out->own = own;
    take_entries(out, kernel->table);
    return HN_OK;
}
