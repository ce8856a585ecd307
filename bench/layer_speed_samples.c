/* layer_speed_samples.c - models, layers and samples that are timed. See layer_speed.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/random.h"
#include "layer_speed.h"
#include "unicycle.h"

#include <stdlib.h>

void fail(const char *sentence) {
    fprintf(stderr, "layer_speed: %s\n", sentence);
    exit(1);
}

void expect(hn_status status, const hn_error *error) {
    if (status != HN_OK)
        fail(error->text);
}

void *reserve(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        fail("out of memory");
    return memory;
}

double now(int threads) {
    return threads > 1 ? clock_seconds() : clock_busy_seconds();
}

hn_model *unicycle_model(int horizon) {
    hn_error error;
    hn_model *model;
    expect(hn_model_create(&model, NULL, &error), &error);
    unicycle_build(model, horizon);
    expect(hn_model_status(model, &error), &error);
    return model;
}

hn_layer *paper_layer(const hn_model *model, int iterations, hn_instructions instructions) {
    hn_error error;
    hn_layer *layer;
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_PAPER;
    options.damping = 0.3;
    options.iterations = iterations;
    options.instructions = instructions;
    expect(hn_layer_create(&layer, model, &options, &error), &error);
    return layer;
}

static struct samples samples_create(size_t inputs, size_t outputs, size_t count) {
    return (struct samples){.count = count,
                            .inputs = inputs,
                            .outputs = outputs,
                            .x = reserve(count * inputs, sizeof(double)),
                            .y_raw = reserve(count * outputs, sizeof(double)),
                            .y = reserve(count * outputs, sizeof(double)),
                            .reports = reserve(count, sizeof(hn_report))};
}

void samples_release(struct samples *samples) {
    free(samples->x);
    free(samples->y_raw);
    free(samples->y);
    free(samples->reports);
}

hn_batch samples_batch(const struct samples *samples, size_t first, size_t count) {
    return (hn_batch){.size = sizeof(hn_batch),
                      .count = count,
                      .x = samples->inputs > 0 ? samples->x + first * samples->inputs : NULL,
                      .y_raw = samples->y_raw + first * samples->outputs,
                      .y = samples->y + first * samples->outputs,
                      .report_size = sizeof(hn_report),
                      .reports = samples->reports + first};
}

/* The columns of unicycle.h: px, py, heading, speed, turn rate for every stage. */
static void rough_plan(int horizon, const double *from, double *y, struct random *random) {
    static const double target[3] = {3.5, 0, 0};
    for (int k = 0; k < horizon; k++) {
        double done = fmin(1, (k + 1) / 20.0); /* 20 steps of dt at a speed of about 1.7 */
        for (int i = 0; i < 3; i++)
            *y++ = from[i] + done * (target[i] - from[i]) + 0.1 * random_normal(random);
        *y++ = 1.7 + 0.3 * random_normal(random);
        *y++ = 0.5 * random_normal(random);
    }
}

struct samples unicycle_samples(int horizon, size_t count) {
    static const double low[3] = {-4, -2.4, -0.45}, high[3] = {-2.2, 2.4, 0.45};
    struct samples samples = samples_create(3, 5 * (size_t)horizon, count);
    for (size_t k = 0; k < count; k++) {
        struct random random = random_start(1, k);
        double *x = samples.x + k * samples.inputs;
        for (int i = 0; i < 3; i++)
            x[i] = random_between(&random, low[i], high[i]);
        rough_plan(horizon, x, samples.y_raw + k * samples.outputs, &random);
    }
    return samples;
}

struct samples plain_samples(size_t outputs, size_t count, double middle) {
    struct samples samples = samples_create(0, outputs, count);
    struct random random = random_start(2, 0);
    for (size_t i = 0; i < count * outputs; i++)
        samples.y_raw[i] = middle * random_normal(&random) + middle;
    return samples;
}
