/* layer_speed_auto.c - how long `auto` takes to 1e-8 on the unicycle, beside one dense LAPACK step and beside IPOPT.
 *
 * SPDX-License-Identifier: MIT */
#include "layer_speed.h"
#include "reference/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 1000, ROUNDS = 15, ALONE = 200, BY_IPOPT = 20, HORIZON = 10, YARD_STEPS = 20, YARD_SAMPLES = 240 };

static const double GOAL_TOGETHER = 0.6, GOAL_ALONE = 45e-6;

static hn_layer *auto_layer(const hn_model *model) {
    hn_layer *layer;
    hn_error error;
    expect(hn_layer_create(&layer, model, NULL, &error), &error);
    return layer;
}

/* Seconds per sample of the whole batch on a pool, the least of several rounds. */
static double time_together(const hn_layer *layer, const struct samples *samples, int threads) {
    hn_error error;
    hn_pool *pool;
    double least = INFINITY;
    expect(hn_pool_create(&pool, layer, threads, &error), &error);
    for (int round = 0; round < ROUNDS; round++) {
        hn_batch batch = samples_batch(samples, 0, BATCH);
        double start = now(threads);
        expect(hn_pool_run(pool, &batch, &error), &error);
        least = fmin(least, (now(threads) - start) / BATCH);
    }
    hn_pool_destroy(pool);
    return least;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of a call with one sample: the median over samples of the least of several calls. */
static double time_alone(const hn_layer *layer, const struct samples *samples) {
    static double least[ALONE];
    hn_error error;
    size_t bytes = hn_layer_workspace_bytes(layer);
    void *workspace = reserve(bytes, 1);
    for (size_t k = 0; k < ALONE; k++) {
        least[k] = INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            hn_batch batch = samples_batch(samples, k, 1);
            double start = now(1);
            expect(hn_layer_run(layer, &batch, workspace, bytes, &error), &error);
            least[k] = fmin(least[k], now(1) - start);
        }
    }
    free(workspace);
    qsort(least, ALONE, sizeof least[0], by_size);
    return least[ALONE / 2];
}

/* Seconds per sample and step with dense LAPACK on so many threads. */
static double time_lapack(const hn_model *model, const struct samples *samples, int threads) {
    hn_layer *paper = paper_layer(model, YARD_STEPS, HN_INSTRUCTIONS_BEST);
    double least = INFINITY;
    for (int round = 0; round < ROUNDS && lapack_name(); round++) {
        hn_batch batch = samples_batch(samples, 0, YARD_SAMPLES);
        double start = now(threads);
        lapack_run(paper, &batch, threads);
        least = fmin(least, (now(threads) - start) / (YARD_SAMPLES * YARD_STEPS));
    }
    hn_layer_destroy(paper);
    return least;
}

/* Seconds per sample for the nearest feasible point; NaN without IPOPT. */
static double time_ipopt(const hn_model *model, const struct samples *samples, int *solved) {
    struct reference_options options = reference_defaults();
    struct reference *reference;
    struct reference_result result;
    hn_error error;
    double seconds = 0, *y = reserve(samples->outputs, sizeof *y);
    *solved = 0;
    options.goal = REFERENCE_NEAREST;
    if (reference_create(&reference, model, &options, &error) != HN_OK) {
        free(y);
        return NAN;
    }
    for (size_t k = 0; k < BY_IPOPT; k++) {
        const double *x = samples->x + k * samples->inputs, *raw = samples->y_raw + k * samples->outputs;
        expect(reference_solve(reference, x, raw, y, &result, &error), &error);
        seconds += result.seconds;
        *solved += result.solved;
    }
    reference_destroy(reference);
    free(y);
    return seconds / BY_IPOPT;
}

void print_auto(int threads) {
    hn_model *model = unicycle_model(HORIZON);
    struct samples samples = unicycle_samples(HORIZON, BATCH);
    hn_layer *layer = auto_layer(model);
    double together = time_together(layer, &samples, threads), alone = time_alone(layer, &samples);
    double yard = time_lapack(model, &samples, threads);
    size_t ok = 0, steps = 0;
    int solved;
    for (size_t k = 0; k < BATCH; k++) {
        ok += samples.reports[k].outcome == HN_OUTCOME_OK;
        steps += (size_t)samples.reports[k].iterations;
    }
    double ipopt = time_ipopt(model, &samples, &solved);
    printf("\nunicycle MPC, auto to 1e-8 from rough plans: %zu of %d ok, %.1f steps on average\n", ok, BATCH,
           (double)steps / BATCH);
    printf("  batch %d, %d threads        %10.2f us per sample, %.2f of a dense LAPACK step per sample (%.2f us; goal "
           "%.1f)\n",
           BATCH, threads, 1e6 * together, together / yard, 1e6 * yard, GOAL_TOGETHER);
    printf("  one sample, 1 thread        %10.2f us (median; goal %.0f)\n", 1e6 * alone, 1e6 * GOAL_ALONE);
    if (isnan(ipopt))
        printf("  IPOPT                       not found when this was built\n");
    else
        printf(
            "  %-26s  %10.0f us per sample for the nearest feasible point (%d of %d solved): %.0f times auto's alone\n",
            reference_name(), 1e6 * ipopt, solved, BY_IPOPT, ipopt / alone);
    hn_layer_destroy(layer);
    samples_release(&samples);
    hn_model_destroy(model);
}
