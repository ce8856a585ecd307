/* eval_reference.c - what a general solver finds for the same inputs, and how far the network is from it. See eval.h.
 *
 * Every input is solved from several starts: the model's own, the network's output, and disturbances of both,
 * y_j = s_j + w max(1, |s_j|) N(0, 1) with w = 0.5, 1, 1.5, ... as there are more of them, from a random stream that depends on the
 * seed and on the input alone. The best feasible point counts. eval_crew.c spreads the inputs over processes.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "console.h"
#include "eval_crew.h"
#include "figures.h"
#include "progress.h"

#include <math.h>
#include <string.h>

static const double NOISE = 0.5, LEAST_SCALE = 1e-8, CLEARLY = 1e-6;

/* ---- one input ---- */

static struct random stream_of(const struct eval *eval, const double *x) {
    struct digest digest = digest_start();
    unsigned char bytes[DIGEST_BYTES];
    uint64_t stream = 0;
    for (size_t i = 0; i < eval->inputs; i++)
        digest_add_number(&digest, x[i]);
    digest_finish(&digest, bytes);
    for (size_t i = 0; i < sizeof stream; i++)
        stream = stream << 8 | bytes[i];
    return random_start(eval->options->seed, stream);
}

/* Start number s; NULL: the model's own. */
static const double *choose_start(struct solver *solver, size_t sample, size_t s, struct random *random) {
    const struct eval *eval = solver->eval;
    const double *own = eval->y + sample * eval->outputs, *base = s % 2 == 0 ? own : solver->model_start;
    if (s == 0)
        return NULL;
    if (s == 1)
        return own;
    size_t pair = s / 2;
    double width = NOISE * (double)pair;
    for (size_t j = 0; j < eval->outputs; j++)
        solver->start[j] = base[j] + width * fmax(1, fabs(base[j])) * random_normal(random);
    return solver->start;
}

/* Keeps the point in solver->y if it is feasible and better than the best. */
static hn_status consider(struct solver *solver, const double *x, bool solved, struct optimum *best, double *y,
                          hn_error *error) {
    const struct eval *eval = solver->eval;
    struct judgement judgement;
    hn_status status = eval_judge_point(&solver->judge, x, solver->y, eval_feasible(eval), &judgement, error);
    if (status != HN_OK || !judgement.held || !isfinite(judgement.objective))
        return status;
    if (!isnan(best->objective) && judgement.objective >= best->objective)
        return HN_OK;
    best->objective = judgement.objective;
    best->solved = solved;
    memcpy(y, solver->y, eval->outputs * sizeof *y);
    return HN_OK;
}

hn_status solver_run(struct solver *solver, size_t sample, struct optimum *best, double *y, hn_error *error) {
    const struct eval *eval = solver->eval;
    const double *x = eval_x(eval, sample);
    struct random random = stream_of(eval, x);
    memset(solver->start, 0, eval->outputs * sizeof *solver->start); /* the start values have no y in them */
    hn_status status =
        hn_model_evaluate(eval->model, eval->outputs, solver->starts, x, solver->start, solver->model_start, error);
    for (size_t s = 0; s < eval->options->starts && status == HN_OK; s++) {
        struct reference_result result;
        const double *start = choose_start(solver, sample, s, &random);
        status = reference_solve(solver->reference, x, start, solver->y, &result, error);
        if (status == HN_OK)
            status = consider(solver, x, result.solved, best, y, error);
    }
    if (best->starts < eval->options->starts)
        best->starts = eval->options->starts;
    return status;
}

static hn_status solver_create(struct solver *solver, const struct eval *eval, hn_error *error) {
    size_t n = eval->outputs;
    *solver = (struct solver){.eval = eval};
    hn_status status = reference_create(&solver->reference, eval->model, NULL, error);
    if (status != HN_OK)
        return status;
    solver->starts = eval_take(n, 1, sizeof *solver->starts);
    solver->start = eval_take(n, 3, sizeof *solver->start);
    if (!solver->starts || !solver->start ||
        !eval_judge_create(&solver->judge, eval->model, eval->settings.layer.relative))
        return error_no_memory(error, "the reference");
    solver->model_start = solver->start + n;
    solver->y = solver->model_start + n;
    for (size_t j = 0; j < n; j++)
        solver->starts[j] = hn_model_output(eval->model, j).start;
    return HN_OK;
}

static void solver_release(struct solver *solver) {
    reference_destroy(solver->reference);
    eval_judge_release(&solver->judge);
    base_release(solver->starts);
    base_release(solver->start);
}

/* ---- all inputs ---- */

bool eval_is_better(const struct eval *eval, size_t sample) {
    double best = eval->optima[sample].objective;
    return eval->reports[sample].outcome == HN_OUTCOME_OK &&
           eval->objective[sample] < best - CLEARLY * fmax(fabs(best), LEAST_SCALE);
}

static bool is_finite_row(const double *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Samples that the cache does not answer: it must have seen as many starts, and the network must not do better. */
static size_t list_jobs(struct eval *eval, struct eval_cache *cache, size_t *jobs) {
    size_t count = 0;
    for (size_t k = 0; k < eval->samples.count; k++) {
        struct optimum *optimum = &eval->optima[k];
        *optimum = (struct optimum){.objective = NAN};
        if (!is_finite_row(eval_x(eval, k), eval->inputs))
            continue;
        if (cache && eval_cache_find(cache, k, optimum, eval->optimal + k * eval->outputs))
            optimum->cached = optimum->starts >= eval->options->starts && !eval_is_better(eval, k);
        if (!optimum->cached)
            jobs[count++] = k;
    }
    return count;
}

static hn_status solve_all(struct eval *eval, const size_t *jobs, size_t count, hn_error *error) {
    struct solver solver;
    hn_status status = count > 0 ? solver_create(&solver, eval, error) : HN_OK;
    if (count == 0)
        return HN_OK;
    double begun = progress_clock();
    if (status == HN_OK)
        status = crew_solve(eval, &solver, jobs, count, error);
    eval->reference_seconds = progress_clock() - begun;
    solver_release(&solver);
    if (status == HN_OK && eval->lost > 0)
        console_warning("a process that solved for the reference ended early: %zu samples have no new optimum",
                        eval->lost);
    return status;
}

/* What was found is saved, after Ctrl-C too: it took long. */
static hn_status find_optima(struct eval *eval, size_t *jobs, hn_error *error) {
    struct eval_cache *cache = NULL;
    hn_status status = eval->options->cache ? eval_cache_open(&cache, eval, error) : HN_OK;
    if (status != HN_OK)
        return status;
    size_t count = list_jobs(eval, cache, jobs);
    status = solve_all(eval, jobs, count, error);
    if (status == HN_OK && cache && count > 0)
        status = eval_cache_save(cache, error);
    eval_cache_close(cache);
    return status;
}

/* ---- how far ---- */

struct optima_count eval_count_optima(const struct eval *eval) {
    struct optima_count count = {.found = 0};
    for (size_t k = 0; k < eval->reached; k++) {
        const struct optimum *optimum = &eval->optima[k];
        count.found += !isnan(optimum->objective) ? 1 : 0;
        count.solved += optimum->solved;
        count.cached += optimum->cached;
        count.better += eval_is_better(eval, k);
    }
    return count;
}

double eval_suboptimality(const struct eval *eval, size_t sample) {
    if (!eval->optima || eval->reports[sample].outcome != HN_OUTCOME_OK || isnan(eval->optima[sample].objective))
        return NAN;
    double best = eval->optima[sample].objective;
    return fmax(0, eval->objective[sample] - best) / fmax(fabs(best), LEAST_SCALE);
}

/* Of sorted numbers, between the two neighbours in proportion. */
static double quantile(const double *values, size_t count, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)place, above = below + 1 < count ? below + 1 : below;
    return values[below] + (place - (double)below) * (values[above] - values[below]);
}

static void summarise(struct eval *eval, double *values) {
    struct suboptimality *s = &eval->suboptimality;
    double sum = 0;
    *s = (struct suboptimality){.mean = NAN, .max = NAN, .median = NAN, .ninety = NAN, .ninety_nine = NAN};
    for (size_t k = 0; k < eval->reached; k++) {
        double value = eval_suboptimality(eval, k);
        if (isnan(value))
            continue;
        values[s->count++] = value;
        sum += value;
    }
    if (s->count == 0)
        return;
    s->max = figures_spread(values, s->count).most;
    s->mean = sum / (double)s->count;
    s->median = quantile(values, s->count, 0.5);
    s->ninety = quantile(values, s->count, 0.9);
    s->ninety_nine = quantile(values, s->count, 0.99);
}

hn_status eval_reference(struct eval *eval, hn_error *error) {
    size_t count = eval->samples.count, *jobs = eval_take(count, 1, sizeof *jobs);
    double *values = eval_take(count, 1, sizeof *values);
    hn_status status = HN_OK;
    eval->optima = eval_take(count, 1, sizeof *eval->optima);
    eval->optimal = eval_take(count, eval->outputs, sizeof *eval->optimal);
    if (!jobs || !values || !eval->optima || !eval->optimal)
        status = error_no_memory(error, "the reference");
    if (status == HN_OK)
        status = find_optima(eval, jobs, error);
    if (status == HN_OK)
        summarise(eval, values);
    base_release(jobs);
    base_release(values);
    return status;
}
