/* prospects.c - see prospects.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/prospects.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/certificate.h"
#include "common/effort.h"
#include "common/figures.h"
#include "common/interrupt.h"
#include "common/starts.h"

#include <math.h>
#include <string.h>

static const double BETTER = 0.01; /* optima that differ by more than this share of |f| are distinct */
enum { MOST_NUMBERS = 20000 };     /* of outputs that are looked at: fewer inputs of large models */
enum { LEAST_SOLVED = 4 };         /* inputs: of fewer the optima say nothing */

static const double MOST_WORK = 2e10; /* operations of all solutions */

/* The inputs that are tried, and their results. */
struct look {
    const struct prospects_task *task;
    size_t count, inputs, outputs;
    size_t solutions;        /* inputs that are solved, the first ones */
    double *x, *y, *now;     /* as the policy has left them */
    double *refined, *local; /* objectives with one more step, and of the optimum from y */
    double *best;            /* of all starts */
    double *solved;          /* outputs */
    hn_report *reports;
    uint32_t *winner;
    uint64_t seeds[PROSPECTS_MOST];
};

/* ---- memory ---- */

static void *prospects_take(size_t count, size_t each) {
    size_t bytes;
    return size_multiply(count, each, &bytes) ? base_allocate(bytes > 0 ? bytes : 1) : NULL;
}

static void prospects_release(struct look *l) {
    void *all[] = {l->x, l->y, l->now, l->refined, l->local, l->best, l->solved, l->reports, l->winner};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        base_release(all[i]);
}

static hn_status prospects_reserve(struct look *l, size_t room, hn_error *error) {
    double **numbers[] = {&l->now, &l->refined, &l->local, &l->best};
    l->x = prospects_take(room, (l->inputs + 1) * sizeof *l->x);
    l->y = prospects_take(room, l->outputs * sizeof *l->y);
    l->solved = prospects_take(room, l->outputs * sizeof *l->solved);
    l->reports = prospects_take(room, sizeof *l->reports);
    l->winner = prospects_take(room, sizeof *l->winner);
    bool there = l->x && l->y && l->solved && l->reports && l->winner;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        there = (*numbers[i] = prospects_take(room, sizeof(double))) && there;
    return there ? HN_OK : error_no_memory(error, "prospects");
}

static void pick(struct look *l, size_t room) {
    const struct prospects_task *t = l->task;
    for (size_t k = 0; k < t->count && l->count < room; k++) {
        if (t->reports[k].outcome != HN_OUTCOME_OK || !isfinite(t->objective[k]))
            continue;
        size_t i = l->count++;
        l->seeds[i] = i;
        if (l->inputs > 0)
            memcpy(l->x + i * l->inputs, t->x + k * l->inputs, l->inputs * sizeof *l->x);
        memcpy(l->y + i * l->outputs, t->y + k * l->outputs, l->outputs * sizeof *l->y);
        l->now[i] = l->refined[i] = l->local[i] = l->best[i] = t->objective[k];
    }
}

/* ---- with one more step ---- */

static hn_status refine(struct look *l, int steps, hn_error *error) {
    hn_policy_options options = l->task->options;
    hn_policy *policy = NULL;
    options.refine = steps;
    options.device = NULL;
    hn_status status = hn_policy_create(&policy, l->task->model, l->task->network, &options, error);
    if (status == HN_OK)
        status = hn_policy_run(policy, l->count, l->x, NULL, l->refined, l->reports, error);
    hn_policy_destroy(policy);
    for (size_t i = 0; status == HN_OK && i < l->count; i++)
        if (l->reports[i].outcome != HN_OUTCOME_OK || !(l->refined[i] < l->now[i]))
            l->refined[i] = l->now[i];
    return status;
}

/* ---- the optima ---- */

static void lower(const struct look *l, double *f) {
    bool maximizes = hn_model_objective(l->task->model).maximize;
    for (size_t i = 0; i < l->solutions; i++) {
        double found = maximizes ? -l->reports[i].objective : l->reports[i].objective;
        if (certificate_holds(&l->reports[i]) && found < f[i])
            f[i] = found;
    }
}

static hn_status solve_with(struct look *l, hn_pool *pool, struct starts *starts, hn_error *error) {
    const hn_batch batch = {.size = sizeof batch,
                            .count = l->solutions,
                            .x = l->inputs > 0 ? l->x : NULL,
                            .y_raw = l->y,
                            .y = l->solved,
                            .report_size = sizeof(hn_report),
                            .reports = l->reports,
                            .cancel = interrupt_begin()};
    hn_status status = hn_pool_run(pool, &batch, error);
    if (status != HN_OK)
        return status;
    lower(l, l->local);
    memcpy(l->best, l->local, l->solutions * sizeof *l->best);
    status = starts_run(starts, pool, &batch, PROSPECTS_STARTS, l->winner, 0, error);
    if (status == HN_OK)
        lower(l, l->best);
    return status;
}

/* Limits the inputs to what can be solved quickly, possibly none. */
static hn_status limit(struct look *l, const hn_layer *layer, hn_error *error) {
    struct effort effort = {.step = 0};
    hn_status status = effort_find(&effort, l->task->model, layer, error);
    double room = MOST_WORK / ((1 + PROSPECTS_STARTS) * effort_solution(&effort));
    if (status == HN_OK)
        l->solutions = room >= (double)l->count ? l->count : room >= LEAST_SOLVED ? (size_t)room : 0;
    return status;
}

static hn_status solve_on(struct look *l, const hn_layer *layer, hn_error *error) {
    struct starts starts = {.outputs = 0};
    hn_pool *pool = NULL;
    hn_status status = hn_pool_create(&pool, layer, l->task->options.threads, error);
    if (status == HN_OK)
        status = starts_begin(&starts, l->task->model, l->solutions, error);
    starts.seeds = l->seeds;
    if (status == HN_OK)
        status = solve_with(l, pool, &starts, error);
    starts_end(&starts);
    hn_pool_destroy(pool);
    return status;
}

static hn_status prospects_solve(struct look *l, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    hn_layer *layer = NULL;
    options.method = HN_METHOD_OPTIMAL;
    options.tolerance = l->task->options.layer.tolerance;
    hn_status status = hn_layer_create(&layer, l->task->model, &options, error);
    if (status == HN_OK)
        status = limit(l, layer, error);
    if (status == HN_OK && l->solutions > 0)
        status = solve_on(l, layer, error);
    hn_layer_destroy(layer);
    return status;
}

/* ---- all of it ---- */

static void sum_up(struct prospects *out, const struct look *l) {
    double size = 0, refined = 0, other = 0;
    for (size_t i = 0; i < l->count; i++)
        size += fabs(l->now[i]);
    size = size > 0 ? size / (double)l->count : 1;
    for (size_t i = 0; i < l->count; i++) {
        double step = l->now[i] - l->refined[i];
        refined += step;
        out->refined_most = fmax(out->refined_most, step / size);
    }
    for (size_t i = 0; i < l->solutions; i++) {
        double gap = l->local[i] - l->best[i];
        other += gap;
        out->others += gap > BETTER * fmax(fabs(l->best[i]), size);
    }
    out->refined_mean = refined / size / (double)l->count;
    out->other_mean = l->solutions > 0 ? other / size / (double)l->solutions : 0;
    out->count = l->count;
    out->solutions = l->solutions;
}

hn_status prospects_find(struct prospects *out, const struct prospects_task *task, hn_error *error) {
    struct look l = {.task = task};
    *out = (struct prospects){.refine = task->options.refine + 1};
    l.inputs = hn_model_input_count(task->model);
    l.outputs = hn_model_output_count(task->model);
    size_t room = l.outputs > MOST_NUMBERS / PROSPECTS_MOST ? MOST_NUMBERS / l.outputs + 1 : PROSPECTS_MOST;
    if (!hn_model_objective(task->model).name || out->refine > HN_POLICY_MOST_REFINE)
        return HN_OK;
    hn_status status = prospects_reserve(&l, room, error);
    if (status == HN_OK)
        pick(&l, room);
    if (status == HN_OK && l.count > 0)
        status = refine(&l, out->refine, error);
    if (status == HN_OK && l.count > 0)
        status = prospects_solve(&l, error);
    if (status == HN_OK && l.count > 0 && !interrupt_came())
        sum_up(out, &l);
    prospects_release(&l);
    return status;
}

/* Shares below a thousandth of a per cent are none. */
static struct figure per_cent(double share) {
    return figures_percent(share < 1e-5 ? 0 : share);
}

void prospects_print(FILE *stream, const struct prospects *p, const hn_model *model) {
    hn_objective_info objective = hn_model_objective(model);
    fprintf(stream, "--refine %d would %s %s by %s %% in the mean, %s %% at most", p->refine,
            objective.maximize ? "raise" : "lower", figures_name(objective.name).text, per_cent(p->refined_mean).text,
            per_cent(p->refined_most).text);
    if (p->solutions == 0)
        fprintf(stream, "; other optima were not searched for: the model is large");
    else
        fprintf(stream, "; more candidates by up to %s %%: %zu of %zu inputs have another optimum that is 1 %% better",
                per_cent(p->other_mean).text, p->others, p->solutions);
}
