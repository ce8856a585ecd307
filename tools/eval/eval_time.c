/* eval_time.c - time per sample: the network, the layer, and everything, on one thread and on all. See eval.h.
 *
 * The batch is the whole of the samples, or as many as take about a second. Each figure is the median over the runs
 * that fit into a fraction of a second, and of one run at least.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "common/figures.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "eval/eval.h"

#include <math.h>
#include <string.h>

enum { MOST_RUNS = 200 };
static const double BATCH_SECONDS = 1, FIGURE_SECONDS = 0.15;

struct stage {
    const struct eval *eval;
    hn_policy *policy; /* the same on one thread */
    size_t batch, candidates;
    double *x; /* inputs, once per candidate */
    double *raw, *y;
    void *network_memory, *layer_memory;
    size_t network_bytes, layer_bytes, next;
};

/* ---- what is timed ---- */

static hn_status run_network(struct stage *stage, hn_error *error) {
    return hn_network_run(hn_policy_network(stage->policy), stage->batch, eval_x(stage->eval, 0), stage->raw,
                          stage->network_memory, stage->network_bytes, error);
}

static hn_status run_layer(struct stage *stage, hn_error *error) {
    hn_batch batch = {.size = sizeof batch,
                      .count = stage->batch * stage->candidates,
                      .x = stage->x,
                      .y_raw = stage->raw,
                      .y = stage->y};
    return hn_layer_run(stage->eval->layer, &batch, stage->layer_memory, stage->layer_bytes, error);
}

static hn_status run_everything(struct stage *stage, hn_error *error) {
    return hn_policy_run(stage->policy, stage->batch, eval_x(stage->eval, 0), stage->y, NULL, NULL, error);
}

static hn_status run_together(struct stage *stage, hn_error *error) {
    return hn_policy_run(stage->eval->policy, stage->batch, eval_x(stage->eval, 0), stage->y, NULL, NULL, error);
}

static hn_status run_alone(struct stage *stage, hn_error *error) {
    size_t sample = stage->next;
    stage->next = sample + 1 < stage->batch ? sample + 1 : 0;
    return hn_policy_run(stage->policy, 1, eval_x(stage->eval, sample), stage->y, NULL, NULL, error);
}

/* ---- memory ---- */

static hn_status eval_time_prepare(struct stage *stage, hn_error *error) {
    const struct eval *eval = stage->eval;
    size_t all = stage->batch * stage->candidates; /* rows of an array that the network's outputs fill */
    hn_policy_options options = eval->settings;
    options.threads = 1;
    hn_status status = hn_policy_create(&stage->policy, eval->model, hn_policy_network(eval->policy), &options, error);
    if (status != HN_OK)
        return status;
    stage->network_bytes = hn_network_workspace_bytes(hn_policy_network(eval->policy));
    stage->layer_bytes = hn_layer_workspace_bytes(eval->layer);
    stage->network_memory = eval_take(stage->network_bytes, 1, 1);
    stage->layer_memory = eval_take(stage->layer_bytes, 1, 1);
    stage->x = eval_take(all, eval->inputs, sizeof *stage->x);
    stage->raw = eval_take(all, eval->outputs, sizeof *stage->raw);
    stage->y = eval_take(all, eval->outputs, sizeof *stage->y);
    if (!stage->network_memory || !stage->layer_memory || !stage->x || !stage->raw || !stage->y)
        return error_no_memory(error, "what is timed");
    for (size_t i = 0; i < all && eval->inputs > 0; i++)
        memcpy(stage->x + i * eval->inputs, eval_x(eval, i / stage->candidates), eval->inputs * sizeof *stage->x);
    return HN_OK;
}

static void eval_time_release(struct stage *stage) {
    hn_policy_destroy(stage->policy);
    base_release(stage->network_memory);
    base_release(stage->layer_memory);
    base_release(stage->x);
    base_release(stage->raw);
    base_release(stage->y);
}

/* ---- the clock ---- */

/* The median duration of a run. */
static hn_status time_runs(struct stage *stage, hn_status (*run)(struct stage *, hn_error *), double *seconds,
                           hn_error *error) {
    double durations[MOST_RUNS], begun = clock_seconds();
    size_t count = 0;
    do {
        double before = clock_seconds();
        hn_status status = run(stage, error);
        if (status != HN_OK)
            return status;
        durations[count++] = clock_seconds() - before;
    } while (count < MOST_RUNS && clock_seconds() - begun < FIGURE_SECONDS && !interrupt_came());
    *seconds = figures_spread(durations, count).median;
    return HN_OK;
}

/* No time without a layer; parts of a device's work are not timed. */
static bool is_timed(const struct eval *eval, int which) {
    if (which == TIME_LAYER && eval->baseline.scheme != SCHEME_LAYER)
        return false;
    return !eval->settings.device || which == TIME_ALL || which == TIME_ALONE;
}

/* The layer is timed after the network, whose outputs it corrects. */
static hn_status time_all(struct stage *stage, double *times, hn_error *error) {
    static hn_status (*const runs[TIMES])(struct stage *, hn_error *) = {[TIME_NETWORK] = run_network,
                                                                         [TIME_LAYER] = run_layer,
                                                                         [TIME_ALL] = run_everything,
                                                                         [TIME_TOGETHER] = run_together,
                                                                         [TIME_ALONE] = run_alone};
    for (int i = 0; i < TIMES; i++) {
        if (!is_timed(stage->eval, i)) {
            times[i] = NAN;
            continue;
        }
        hn_status status = time_runs(stage, runs[i], &times[i], error);
        if (status != HN_OK)
            return status;
        times[i] /= i == TIME_ALONE ? 1 : (double)stage->batch;
    }
    return HN_OK;
}

hn_status eval_time(struct eval *eval, hn_error *error) {
    struct stage stage = {.eval = eval, .candidates = eval->settings.candidates};
    double each = eval->seconds * eval->threads / (double)eval->reached, fit = BATCH_SECONDS / each;
    stage.batch = fit < 1 ? 1 : fit < (double)eval->reached ? (size_t)fit : eval->reached;
    eval->time_batch = stage.batch;
    hn_status status = eval_time_prepare(&stage, error);
    if (status == HN_OK)
        status = time_all(&stage, eval->times, error);
    eval_time_release(&stage);
    return status;
}
