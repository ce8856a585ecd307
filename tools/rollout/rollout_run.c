/* rollout_run.c - runs the loops and sums their costs. See rollout.h.
 *
 * Loops run sequentially, so that the time of a step is that of a controller in operation.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/inputs.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "rollout/rollout.h"

#include <math.h>
#include <string.h>

/* What one loop works with. */
struct loop {
    const struct rollout *rollout;
    struct controller *controller;
    struct eval_judge judge;
    double *y, *before; /* applied now, and in the step before */
    bool has_before;
};

/* ---- a controller acts ---- */

static hn_status apply_network(struct loop *loop, const double *x, struct rollout_step *step, hn_error *error) {
    hn_report report = {.outcome = HN_OUTCOME_OK};
    hn_status status = hn_policy_run(loop->controller->policy, 1, x, loop->y, NULL, &report, error);
    step->ok = report.outcome == HN_OUTCOME_OK;
    step->status = hn_outcome_text(report.outcome);
    return status;
}

/* Where no start leads to a feasible point, the last of them counts. */
static hn_status apply_reference(struct loop *loop, const double *x, struct rollout_step *step, hn_error *error) {
    struct multistart *solver = loop->controller->solver;
    struct optimum best = {.objective = NAN};
    size_t bytes = loop->rollout->outputs * sizeof *loop->y;
    hn_status status = multistart_run(solver, x, loop->has_before ? loop->before : NULL, &best, loop->y, error);
    if (status != HN_OK)
        return status;
    step->ok = !isnan(best.objective);
    step->status = step->ok ? hn_outcome_text(HN_OUTCOME_OK) : solver->said;
    if (step->ok)
        memcpy(loop->before, loop->y, bytes);
    else
        memcpy(loop->y, solver->y, bytes);
    loop->has_before = loop->has_before || step->ok;
    return HN_OK;
}

static hn_status rollout_run_apply(struct loop *loop, const double *x, struct rollout_step *step, hn_error *error) {
    double begun = clock_seconds();
    hn_status status = HN_OK;
    if (loop->controller->policy) {
        status = apply_network(loop, x, step, error);
    } else if (inputs_finite(x, loop->rollout->inputs)) {
        status = apply_reference(loop, x, step, error);
    } else {
        step->ok = false;
        step->status = hn_outcome_text(HN_OUTCOME_NONFINITE_INPUT);
    }
    step->seconds = clock_seconds() - begun;
    return status;
}

/* ---- results ---- */

/* The smallest value, or the smallest distance of a row from its bounds; NaN when one of them is. */
static double least_margin(const struct rollout_formulas *f) {
    double least = INFINITY;
    for (size_t i = 0; i < f->margin_count; i += f->margin_rows ? 3 : 1) {
        const double *v = f->values + i;
        double above = f->margin_rows ? v[1] - v[0] : v[0], below = f->margin_rows ? v[2] - v[1] : v[0];
        if (isnan(above) || isnan(below))
            return NAN;
        least = fmin(least, fmin(above, below));
    }
    return least;
}

static hn_status rollout_run_measure(struct loop *loop, const double *x, struct rollout_step *step, hn_error *error) {
    const struct rollout_formulas *f = &loop->rollout->formulas;
    const hn_model *model = loop->rollout->model;
    hn_status status = HN_OK;
    step->cost = step->margin = NAN;
    if (f->has_cost)
        status = hn_model_evaluate(model, 1, &f->cost, x, loop->y, &step->cost, error);
    if (status == HN_OK && f->margin)
        status = hn_model_evaluate(model, f->margin_count, f->margin, x, loop->y, f->values, error);
    if (status == HN_OK && f->margin)
        step->margin = least_margin(f);
    return status;
}

/* What the controller calls ok is ok by plain evaluation, or stalled. */
static hn_status judge_step(struct loop *loop, const double *x, struct rollout_step *step, hn_error *error) {
    struct judgement judgement;
    hn_status status = eval_judge_point(&loop->judge, x, loop->y, loop->controller->tolerance, &judgement, error);
    if (status != HN_OK)
        return status;
    step->violation = judgement.violation;
    step->worst = judgement.violation > 0 ? judgement.worst : SIZE_MAX;
    if (step->ok && !judgement.held) {
        step->ok = false;
        step->status = hn_outcome_text(HN_OUTCOME_STALLED);
    }
    return HN_OK;
}

/* ---- loops ---- */

/* x: the inputs of this step; on return those of the next. */
static hn_status rollout_run_take_step(struct loop *loop, double *x, struct rollout_step *step, hn_error *error) {
    hn_status status = rollout_run_apply(loop, x, step, error);
    if (status == HN_OK)
        status = judge_step(loop, x, step, error);
    return status == HN_OK ? rollout_run_measure(loop, x, step, error) : status;
}

/* The inputs of all steps are contiguous, followed by the final state. */
static hn_status run_loop(struct loop *loop, size_t start, struct progress *progress, hn_error *error) {
    const struct rollout *r = loop->rollout;
    struct controller *c = loop->controller;
    const struct rollout_formulas *f = &r->formulas;
    struct rollout_total *total = &c->totals[start];
    double *x = c->path + start * (r->steps + 1) * r->inputs;
    hn_status status = HN_OK;
    loop->has_before = false;
    memcpy(x, r->x0.values + start * r->inputs, r->inputs * sizeof *x);
    for (size_t k = 0; k < r->steps && status == HN_OK && !interrupt_came(); k++, x += r->inputs) {
        status = rollout_run_take_step(loop, x, &c->steps[start * r->steps + k], error);
        if (status == HN_OK && k + 1 == r->steps && f->has_final)
            status = hn_model_evaluate(r->model, 1, &f->final_cost, x, loop->y, &total->final_cost, error);
        if (status == HN_OK && c->shown)
            status = rollout_show(r, x, loop->y, c->shown + (start * r->steps + k) * r->shown.count, error);
        memcpy(x + r->inputs, x, r->inputs * sizeof *x);
        if (status == HN_OK)
            status = feedback_advance(&r->feedback, r->plant, x + r->inputs, loop->y, error);
        rollout_disturb(r, start, k, x + r->inputs);
        progress_update(progress, ((size_t)(c - r->controllers) * r->starts + start) * r->steps + k + 1);
    }
    return status;
}

static hn_status run_controller(struct rollout *r, struct controller *c, struct progress *progress, hn_error *error) {
    struct loop loop = {.rollout = r, .controller = c};
    hn_status status = HN_OK;
    loop.y = eval_take(r->outputs, 2, sizeof *loop.y);
    if (!loop.y || !eval_judge_create(&loop.judge, r->model, c->relative)) {
        base_release(loop.y);
        return error_no_memory(error, "the loops");
    }
    loop.before = loop.y + r->outputs;
    for (size_t start = 0; start < r->starts && status == HN_OK && !interrupt_came(); start++)
        status = run_loop(&loop, start, progress, error);
    eval_judge_release(&loop.judge);
    base_release(loop.y);
    return status;
}

/* ---- sums ---- */

static void sum_loop(const struct rollout *r, struct controller *c, size_t start) {
    struct rollout_total *total = &c->totals[start];
    total->cost = r->formulas.has_cost ? total->final_cost : (double)NAN;
    total->margin = r->formulas.margin ? INFINITY : (double)NAN;
    total->steps = r->steps;
    for (size_t k = 0; k < r->steps; k++) {
        const struct rollout_step *step = &c->steps[start * r->steps + k];
        total->cost += step->cost;
        total->margin = isnan(step->margin) || step->margin < total->margin ? step->margin : total->margin;
        total->violation = fmax(total->violation, step->violation);
        total->ok += step->ok;
    }
    for (size_t k = 0; k <= r->steps; k++)
        inputs_outside_add(&total->outside, r->model, rollout_state(r, c, start, k));
    total->loops_outside = total->outside.beyond > 0;
    total->highest = total->cost;
}

static void sum_controller(const struct rollout *r, struct controller *c) {
    struct rollout_total *all = &c->total;
    for (size_t start = 0; start < r->starts; start++) {
        const struct rollout_total *one = &c->totals[start];
        bool first = start == 0;
        all->cost += one->cost / (double)r->starts;
        all->final_cost += one->final_cost / (double)r->starts;
        all->highest = first || isnan(one->cost) || one->cost > all->highest ? one->cost : all->highest;
        all->margin = first || isnan(one->margin) || one->margin < all->margin ? one->margin : all->margin;
        all->violation = fmax(all->violation, one->violation);
        all->steps += one->steps;
        all->ok += one->ok;
        all->loops_outside += one->loops_outside;
        inputs_outside_join(&all->outside, &one->outside);
    }
}

static hn_status sum_up(const struct rollout *r, struct controller *c, hn_error *error) {
    size_t count = r->starts * r->steps;
    double *seconds = eval_take(count, 1, sizeof *seconds);
    if (!seconds)
        return error_no_memory(error, "the loops");
    for (size_t start = 0; start < r->starts; start++)
        sum_loop(r, c, start);
    sum_controller(r, c);
    for (size_t i = 0; i < count; i++)
        seconds[i] = c->steps[i].seconds;
    struct spread spread = figures_spread(seconds, count);
    c->seconds = spread.median;
    c->slowest = spread.most;
    base_release(seconds);
    return HN_OK;
}

hn_status rollout_run(struct rollout *r, hn_error *error) {
    struct progress progress;
    hn_status status = HN_OK;
    progress_begin(&progress, "closed loops", r->count * r->starts * r->steps);
    for (size_t i = 0; i < r->count && status == HN_OK && !interrupt_came(); i++)
        status = run_controller(r, &r->controllers[i], &progress, error);
    progress_end(&progress);
    for (size_t i = 0; i < r->count && status == HN_OK && !interrupt_came(); i++)
        status = sum_up(r, &r->controllers[i], error);
    return status;
}

bool rollout_stays(const struct rollout *r) {
    bool stays = true;
    for (size_t i = 0; i < r->count; i++)
        stays = stays && (!r->controllers[i].policy || r->controllers[i].total.loops_outside == 0);
    if (!stays && !r->options->allow_outside)
        console_warning("a network left the box that its inputs are sampled from; train --feedback-beyond trains for "
                        "what lies there, --allow-outside accepts it as it is");
    return stays || r->options->allow_outside;
}

bool rollout_all_ok(const struct rollout *r) {
    for (size_t i = 0; i < r->count; i++)
        if (r->controllers[i].total.ok < r->controllers[i].total.steps)
            return false;
    return true;
}
