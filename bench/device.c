/* device.c - how fast a layer is on a GPU, and whether its bits are those of the CPU: the unicycle, from 1000 to 100 000 samples.
 *
 *     build/bench/device [--float32] [MODEL.mod [forward]]
 *
 * Times are those of a call over the device's memory, from its start until it is done: the median of several. Of the paper's method
 * per sample and step, of auto per sample. Raw outputs are normal numbers, 0.5 of standard
 * deviation, inputs are drawn from their box. The first line of a method is the first call: its kernels are not compiled yet, not
 * even for CUDA's own cache, which is not used.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "command_line.h"
#include "device_memory.h"
#include "hardnet/hardnet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7, BITS = 2000 };

static const size_t batches[] = {1000, 10000, 100000};
enum { BATCHES = sizeof batches / sizeof batches[0] };

struct bench {
    const hn_model *model;
    hn_layer *layer;
    hn_device_layer *device;
    hn_layer_options options;
    size_t inputs, outputs;
    struct drawn drawn; /* host, of the largest batch */
    bool pulls;         /* gradients, too */
    hn_precision precision;
};

struct arrays {
    hn_batch batch;
    hn_gradient gradient;
    void *workspace;
};

static struct arrays arrays_of(const struct bench *b, size_t count, bool pulls) {
    struct arrays a = {.batch = {.size = sizeof a.batch, .count = count}, .gradient = {.size = sizeof a.gradient}};
    size_t bytes = count * b->outputs * sizeof(double);
    a.batch.x = b->inputs ? take(b->device, b->drawn.x, count * b->inputs * sizeof(double)) : NULL;
    a.batch.y_raw = take(b->device, b->drawn.raw, bytes);
    a.batch.y = take(b->device, NULL, bytes);
    a.batch.reports = take(b->device, NULL, count * sizeof(hn_report));
    a.batch.report_size = sizeof(hn_report);
    a.workspace = take(b->device, NULL, hn_device_workspace_bytes(b->device, count));
    if (pulls) {
        a.batch.tape = take(b->device, NULL, hn_device_tape_bytes(b->device, count));
        a.gradient.grad_y = take(b->device, b->drawn.grad_y, bytes);
        a.gradient.grad_y_raw = take(b->device, NULL, bytes);
    }
    return a;
}

static void drop_arrays(const struct bench *b, const struct arrays *a) {
    drop(b->device, a->batch.x);
    drop(b->device, a->batch.y_raw);
    drop(b->device, a->batch.y);
    drop(b->device, a->batch.reports);
    drop(b->device, a->workspace);
    drop(b->device, a->batch.tape);
    drop(b->device, a->gradient.grad_y);
    drop(b->device, a->gradient.grad_y_raw);
}

/* ---- speed ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of a call: the median. */
static double time_call(const struct bench *b, const struct arrays *a, bool pulls) {
    double seconds[ROUNDS];
    hn_error error = {.text = ""};
    for (int i = -1; i < ROUNDS; i++) {
        double begun = clock_seconds();
        must(hn_device_run(b->device, &a->batch, a->workspace, NULL, &error), &error);
        if (pulls)
            must(hn_device_gradient(b->device, &a->batch, &a->gradient, a->workspace, NULL, &error), &error);
        must_cuda(b->device, b->device->driver.stream_wait(NULL));
        if (i >= 0)
            seconds[i] = clock_seconds() - begun;
    }
    qsort(seconds, ROUNDS, sizeof *seconds, by_size);
    return seconds[ROUNDS / 2];
}

static void show_outcomes(const struct bench *b, const struct arrays *a, size_t count) {
    hn_report *reports = calloc(count, sizeof *reports);
    size_t ok = 0;
    double steps = 0, most = 0;
    cuda_address at;
    memcpy(&at, &a->batch.reports, sizeof at);
    must_cuda(b->device, b->device->driver.copy_out(reports, at, count * sizeof *reports, NULL));
    must_cuda(b->device, b->device->driver.stream_wait(NULL));
    for (size_t i = 0; i < count; i++) {
        ok += reports[i].outcome == HN_OUTCOME_OK;
        steps += reports[i].iterations / (double)count;
        most = fmax(most, reports[i].iterations);
    }
    printf("   %zu ok, %.1f steps on average, %.0f at most", ok, steps, most);
    free(reports);
}

static void measure(const struct bench *b, bool pulls) {
    bool counted = b->options.method == HN_METHOD_PAPER;
    for (size_t i = 0; i < BATCHES; i++) {
        size_t count = batches[i];
        if (pulls && hn_device_tape_bytes(b->device, count) > (size_t)24 << 30)
            continue;
        struct arrays a = arrays_of(b, count, pulls);
        double seconds = time_call(b, &a, pulls), each = seconds * 1e6 / (double)count;
        printf("%-7s %-21s batch %6zu: %.5f us per sample%s", hn_method_text(b->options.method),
               pulls ? "forward and backward" : "forward", count, counted ? each / b->options.iterations : each,
               counted ? " and step" : "");
        show_outcomes(b, &a, count);
        printf("\n");
        fflush(stdout);
        drop_arrays(b, &a);
    }
}

/* ---- bits ---- */

static size_t count_equal(const double *a, const double *b, size_t count) {
    size_t equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += memcmp(&a[i], &b[i], sizeof *a) == 0;
    return equal;
}

static void compare_bits(const struct bench *b, hn_pool *pool) {
    size_t numbers = BITS * b->outputs, reports = 0;
    double *y[2], *grad[2];
    hn_report *report[2];
    hn_error error = {.text = ""};
    for (int side = 0; side < 2; side++) {
        y[side] = calloc(numbers, sizeof *y[0]);
        grad[side] = calloc(numbers, sizeof *grad[0]);
        report[side] = calloc(BITS, sizeof *report[0]);
        hn_batch batch = {.size = sizeof batch,
                          .count = BITS,
                          .x = b->inputs ? b->drawn.x : NULL,
                          .y_raw = b->drawn.raw,
                          .y = y[side],
                          .report_size = sizeof(hn_report),
                          .reports = report[side]};
        hn_gradient gradient = {.size = sizeof gradient, .grad_y = b->drawn.grad_y, .grad_y_raw = grad[side]};
        if (side) {
            must(hn_device_run_host(b->device, &batch, b->pulls ? &gradient : NULL, &error), &error);
            continue;
        }
        batch.tape = malloc(hn_layer_tape_bytes(b->layer, BITS));
        must(hn_pool_run(pool, &batch, &error), &error);
        if (b->pulls)
            must(hn_pool_gradient(pool, &batch, &gradient, &error), &error);
        free(batch.tape);
    }
    for (size_t i = 0; i < BITS; i++)
        reports += memcmp(&report[0][i], &report[1][i], sizeof *report[0]) == 0;
    printf("%-7s %s, bits of the CPU: %zu of %zu outputs, %zu of %zu gradients, %zu of %d reports\n",
           hn_method_text(b->options.method), hn_precision_text(b->precision), count_equal(y[0], y[1], numbers),
           numbers, count_equal(grad[0], grad[1], numbers), numbers, reports, BITS);
    for (int side = 0; side < 2; side++) {
        free(y[side]);
        free(grad[side]);
        free(report[side]);
    }
}

/* ---- all of it ---- */

static void show_device(const struct bench *b, double seconds) {
    hn_device_info info = {.size = sizeof info};
    hn_device_get_info(b->device, &info, NULL);
    printf("%-7s %s, compute capability %d.%d, driver %d, nvrtc %d; made in %.2f s (%s, %.2f s of it compiling), %d "
           "registers, %zu bytes of local memory\n",
           hn_method_text(b->options.method), info.name, info.capability / 10, info.capability % 10, info.driver,
           info.nvrtc, seconds, info.found ? "from the cache" : "compiled", info.seconds, info.registers,
           info.local_bytes);
}

static void run_method(struct bench *b, hn_method method) {
    hn_error error = {.text = ""};
    hn_pool *pool;
    hn_device_options options = hn_device_defaults();
    b->options = hn_layer_defaults();
    b->options.method = method;
    must(hn_layer_create(&b->layer, b->model, &b->options, &error), &error);
    b->options = hn_layer_options_of(b->layer);
    must(hn_pool_create(&pool, b->layer, 0, &error), &error);
    options.gradients = b->pulls;
    options.precision = b->precision;
    for (int again = 0; again < 3; again++) { /* the last one where somebody holds the context */
        hn_device_layer *before = b->device;
        options.again = again == 0;
        if (again == 1)
            hn_device_layer_destroy(before);
        double begun = clock_seconds();
        must(hn_device_layer_create(&b->device, b->model, &b->options, &options, &error), &error);
        show_device(b, clock_seconds() - begun);
        if (again == 2)
            hn_device_layer_destroy(before);
    }
    compare_bits(b, pool);
    must(device_enter(b->device, &error), &error);
    measure(b, false);
    if (b->pulls)
        measure(b, true);
    device_leave(b->device);
    hn_device_layer_destroy(b->device);
    hn_pool_destroy(pool);
    hn_layer_destroy(b->layer);
}

static const char HELP[] =
    "usage: device [--float32] [MODEL.mod [forward]]\n\n"
    "How fast a layer is on a GPU, and whether its bits are those of the CPU, from 1000 to 100 000\n"
    "samples: models/unicycle.mod, or another model; `forward`: without gradients; --float32: steps in\n"
    "float, whose bits are not the CPU's.\n";

int main(int count, char **words) {
    static const char *const options[] = {"--float32", NULL};
    command_line_check(count, words, HELP, options, 2);
    bool single = count > 1 && strcmp(words[1], options[0]) == 0;
    count -= single;
    words += single;
    if (count > 2 && strcmp(words[2], "forward") != 0)
        command_line_refuse("device", words[2]);
    setenv("CUDA_CACHE_DISABLE", "1", 1); /* else the compiler remembers what it has compiled in earlier runs */
    const char *paths[] = {count > 1 ? words[1] : "models/unicycle.mod"};
    hn_error error = {.text = ""};
    hn_model *model;
    must(hn_model_read(&model, 1, paths, NULL, &error), &error);
    struct bench b = {.model = model, .inputs = hn_model_input_count(model), .outputs = hn_model_output_count(model)};
    b.pulls = count < 3;
    b.precision = single ? HN_PRECISION_FLOAT32 : HN_PRECISION_FLOAT64;
    b.drawn = draw_samples(b.model, batches[BATCHES - 1], 0.5);
    run_method(&b, HN_METHOD_PAPER);
    run_method(&b, HN_METHOD_AUTO);
    free(b.drawn.x);
    free(b.drawn.raw);
    free(b.drawn.grad_y);
    hn_model_destroy(model);
    return 0;
}
