/* layer_speed_shapes.c - what must grow linearly: long horizons, one row over all outputs, one output in all rows.
 *
 * SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "layer_speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A layer on one thread, with its samples. */
struct shape {
    hn_model *model;
    hn_layer *layer;
    struct samples samples;
    void *workspace;
    size_t bytes;
    double model_seconds, layer_seconds;
};

static void make_layer(struct shape *shape, int iterations) {
    double start = now(1);
    shape->layer = paper_layer(shape->model, iterations, HN_INSTRUCTIONS_BEST);
    shape->layer_seconds = now(1) - start;
    shape->bytes = hn_layer_workspace_bytes(shape->layer);
    shape->workspace = reserve(shape->bytes, 1);
}

static void shape_release(struct shape *shape) {
    free(shape->workspace);
    samples_release(&shape->samples);
    hn_layer_destroy(shape->layer);
    hn_model_destroy(shape->model);
}

/* Seconds per step of the whole batch: the mean over as many runs as fill `least` seconds, one at least. */
static double time_step(const struct shape *shape, size_t count, double least) {
    hn_error error;
    hn_batch batch = samples_batch(&shape->samples, 0, count);
    double start = now(1), seconds = 0;
    int runs = 0;
    do {
        expect(hn_layer_run(shape->layer, &batch, shape->workspace, shape->bytes, &error), &error);
        runs++;
        seconds = now(1) - start;
    } while (seconds < least);
    return seconds / ((double)runs * hn_layer_options_of(shape->layer).iterations);
}

/* ---- horizons ---- */

enum { HORIZONS = 4, HORIZON_ROUNDS = 5, HORIZON_BATCH = LANES, HORIZON_STEPS = 100 };

static const double ROUND_SECONDS = 0.2;

static void make_horizon(struct shape *shape, int horizon) {
    double start = now(1);
    shape->model = unicycle_model(horizon);
    shape->model_seconds = now(1) - start;
    shape->samples = unicycle_samples(horizon, HORIZON_BATCH);
    make_layer(shape, HORIZON_STEPS);
}

/* Seconds per sample and step, for a sample alone and for full lanes. */
struct horizon_times {
    double alone, together;
};

static void print_horizon(const struct shape *shape, int horizon, struct horizon_times times,
                          struct horizon_times shortest) {
    hn_layer_info info = hn_layer_info_of(shape->layer);
    printf("  %7d %8zu %8zu %8zu %8.3f %8.3f %8.2f %10.3f %8.2f %6s %10.3f %8.2f\n", horizon, info.outputs, info.rows,
           info.factor_nonzeros, shape->model_seconds, shape->layer_seconds, (double)shape->bytes / 1e6,
           1e6 * times.alone, times.alone / shortest.alone * 10 / horizon, "1.20", 1e6 * times.together,
           times.together / shortest.together * 10 / horizon);
}

/* In turns, runs of about the same length for every horizon. */
void print_horizons(void) {
    static const int horizons[HORIZONS] = {10, 100, 1000, 10000};
    struct shape shapes[HORIZONS];
    struct horizon_times times[HORIZONS];
    for (int h = 0; h < HORIZONS; h++) {
        make_horizon(&shapes[h], horizons[h]);
        times[h] = (struct horizon_times){INFINITY, INFINITY};
    }
    for (int round = 0; round < HORIZON_ROUNDS; round++)
        for (int h = 0; h < HORIZONS; h++) {
            times[h].alone = fmin(times[h].alone, time_step(&shapes[h], 1, ROUND_SECONDS));
            times[h].together =
                fmin(times[h].together, time_step(&shapes[h], HORIZON_BATCH, ROUND_SECONDS) / HORIZON_BATCH);
        }
    printf("\nunicycle MPC of horizon N, 1 thread, %d paper steps; us per sample and step, and N times N = 10's\n",
           HORIZON_STEPS);
    printf("  %7s %8s %8s %8s %8s %8s %8s %10s %8s %6s %10s %8s\n", "N", "outputs", "rows", "factor", "model s",
           "layer s", "work MB", "batch 1", "linear", "goal", "batch 8", "linear");
    for (int h = 0; h < HORIZONS; h++) {
        print_horizon(&shapes[h], horizons[h], times[h], times[0]);
        shape_release(&shapes[h]);
    }
}

/* ---- one dense row, one dense column ---- */

enum { WIDE = 100000, SHAPE_STEPS = 100 };

/* sum y = 1 or sum y^2 = 1, and y >= 0 if asked for. */
static void one_row(hn_model *model, bool squares, bool bounded) {
    hn_expr *terms = reserve(WIDE, sizeof *terms);
    for (int j = 0; j < WIDE; j++) {
        char name[32];
        snprintf(name, sizeof name, "y[%d]", j);
        hn_expr y = hn_output(model, name);
        if (bounded)
            hn_output_bounds(y, 0, INFINITY);
        terms[j] = squares ? hn_mul(y, y) : y;
    }
    hn_constrain(model, "sum", 1, hn_sum(model, WIDE, terms), 1);
    free(terms);
}

/* y_i - t <= 1 for all i: t stands in every row. */
static void one_column(hn_model *model) {
    hn_expr top = hn_output(model, "t");
    for (int i = 0; i < WIDE; i++) {
        char name[32];
        snprintf(name, sizeof name, "y[%d]", i);
        hn_expr y = hn_output(model, name);
        snprintf(name, sizeof name, "below[%d]", i);
        hn_constrain(model, name, -INFINITY, hn_sub(y, top), 1);
    }
}

static double least_step(const struct shape *shape, size_t count) {
    double best = INFINITY, begun = now(1);
    do
        best = fmin(best, time_step(shape, count, 0));
    while (now(1) - begun < 0.5);
    return best;
}

static void print_shape(const char *name, hn_model *model, double model_seconds, const char *goal) {
    hn_error error;
    struct shape shape = {.model = model, .model_seconds = model_seconds};
    expect(hn_model_finish(model, &error), &error);
    shape.samples = plain_samples(hn_model_output_count(model), LANES, 1 / sqrt(WIDE));
    make_layer(&shape, SHAPE_STEPS);
    hn_layer_info info = hn_layer_info_of(shape.layer);
    double one = least_step(&shape, 1), eight = least_step(&shape, LANES);
    printf("  %-28s %8zu %8zu %7s %8zu %9.3f %9.3f %9.1f %10.3f %10.3f %6s\n", name, info.outputs, info.rows,
           info.outputs_side ? "outputs" : "rows", info.factor_nonzeros, model_seconds, shape.layer_seconds,
           (double)shape.bytes / 1e6, 1e3 * one, 1e3 * eight, goal);
    shape_release(&shape);
}

static hn_model *empty_model(void) {
    hn_error error;
    hn_model *model;
    expect(hn_model_create(&model, NULL, &error), &error);
    return model;
}

void print_shapes(void) {
    static const char *const names[2][2] = {{"sum y = 1", "sum y = 1, y >= 0"}, {"sum y^2 = 1", "sum y^2 = 1, y >= 0"}};
    printf(
        "\none row over %d outputs, one output in %d rows; 1 thread, %d paper steps, ms per step of the whole batch\n",
        WIDE, WIDE, SHAPE_STEPS);
    printf("  %-28s %8s %8s %7s %8s %9s %9s %9s %10s %10s %6s\n", "", "outputs", "rows", "side", "factor", "model s",
           "layer s", "work MB", "batch 1", "batch 8", "goal");
    for (int bounded = 0; bounded < 2; bounded++)
        for (int squares = 0; squares < 2; squares++) {
            double start = now(1);
            hn_model *model = empty_model();
            one_row(model, squares, bounded);
            print_shape(names[squares][bounded], model, now(1) - start, bounded ? "-" : "2");
        }
    double start = now(1);
    hn_model *model = empty_model();
    one_column(model);
    print_shape("y[i] - t <= 1", model, now(1) - start, "-");
}
