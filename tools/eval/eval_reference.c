/* eval_reference.c - optima by a general solver for the same inputs, and the network's gap. See eval.h.
 *
 * Every input is solved from several starts (multistart.h), the network's output among them, and the best feasible
 * point counts. eval_crew.c spreads the inputs over processes.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/progress.h"
#include "eval/eval_crew.h"

#include <math.h>
#include <string.h>

static const double CLEARLY = 1e-6;

/* ---- all inputs ---- */

bool eval_is_better(const struct eval *eval, size_t sample) {
    double best = eval->optima[sample].objective;
    return eval->reports[sample].outcome == HN_OUTCOME_OK &&
           eval->objective[sample] < best - CLEARLY * fmax(fabs(best), EVAL_LEAST_SCALE);
}

/* Samples that the cache does not answer: it must have seen as many starts, and the network must not do better. */
static size_t list_jobs(struct eval *eval, struct eval_cache *cache, size_t *jobs) {
    size_t count = 0;
    for (size_t k = 0; k < eval->samples.count; k++) {
        struct optimum *optimum = &eval->optima[k];
        *optimum = (struct optimum){.objective = NAN};
        if (!inputs_finite(eval_x(eval, k), eval->inputs))
            continue;
        if (cache && eval_cache_find(cache, k, optimum, eval->optimal + k * eval->outputs))
            optimum->cached = optimum->starts >= eval->options->judging.starts && !eval_is_better(eval, k);
        if (!optimum->cached)
            jobs[count++] = k;
    }
    return count;
}

static hn_status solve_all(struct eval *eval, const size_t *jobs, size_t count, hn_error *error) {
    struct multistart solver = {.model = eval->model,
                                .starts = eval->options->judging.starts,
                                .seed = eval->options->judging.seed,
                                .seconds = eval->options->judging.seconds,
                                .optimal = judging_is_own(&eval->options->judging),
                                .feasible = eval_feasible(eval)};
    if (count == 0)
        return HN_OK;
    hn_status status = multistart_create(&solver, eval->settings.layer.relative, error);
    double begun = clock_seconds();
    if (status == HN_OK)
        status = helpers_solve(eval, &solver, jobs, count, error);
    eval->reference_seconds = clock_seconds() - begun;
    multistart_release(&solver);
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

/* ---- results ---- */

struct optima_count eval_count_optima(const struct eval *eval) {
    struct optima_count count = {.found = 0};
    for (size_t k = 0; k < eval->reached; k++) {
        const struct optimum *optimum = &eval->optima[k];
        count.found += !isnan(optimum->objective) ? 1 : 0;
        count.solved += optimum->solved;
        count.cached += optimum->cached;
        count.better += eval_is_better(eval, k);
        count.late += optimum->late;
    }
    return count;
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
        eval_summarise(eval, values);
    base_release(jobs);
    base_release(values);
    return status;
}
