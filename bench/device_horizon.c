/* device_horizon.c - long models on a GPU: the unicycle over a hundred and a thousand stages, beside generated code on two threads of the
 * CPU, with bits compared.
 *
 *     build/bench/device_horizon [--float32] [N ...]
 *
 * Times are those of a call over the device's memory, from its start until it is done, per sample and step: of the paper's method the
 * best of three; of auto and lm, which take several times as many steps over longer horizons, of one call up to 1000 outputs. Raw outputs
 * are normal numbers, 0.5 of standard deviation, inputs are drawn from their box. Bits are those of outputs, reports and gradients;
 * of --float32, steps in float, it is how many samples are ok.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "command_line.h"
#include "device_memory.h"
#include "hardnet/hardnet.h"
#include "hardnet/kernel.h"
#include "hardnet/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, BITS = 64, PAPER_STEPS = 100, CPU_SAMPLES = 256, CPU_THREADS = 2, MOST_OUTPUTS = 1000 };

static const size_t batches[] = {1000, 10000};
enum { BATCHES = sizeof batches / sizeof batches[0] };

struct bench {
    hn_model *model;
    hn_layer *layer;
    hn_device_layer *device;
    hn_layer_options options;
    hn_precision precision;
    size_t inputs, outputs;
    struct drawn drawn; /* of the largest batch */
};

static hn_model *read_horizon(const char *horizon) {
    char let[64];
    const char *path = "models/unicycle.mod", *lets = let;
    hn_read_options options = hn_read_defaults();
    hn_error error = {.text = ""};
    hn_model *model;
    snprintf(let, sizeof let, "N=%s", horizon);
    options.lets = &lets;
    options.let_count = 1;
    must(hn_model_read(&model, 1, &path, &options, &error), &error);
    return model;
}

/* ---- speed ---- */

struct times {
    double forward, backward;
};

static struct times time_calls(const struct bench *b, const hn_batch *batch, const hn_gradient *gradient,
                               void *workspace) {
    struct times best = {INFINITY, INFINITY};
    hn_error error = {.text = ""};
    for (int i = 0; i < (b->options.method == HN_METHOD_PAPER ? ROUNDS : 1); i++) {
        double begun = clock_seconds();
        must(hn_device_run(b->device, batch, workspace, NULL, &error), &error);
        must_cuda(b->device, b->device->driver.stream_wait(NULL));
        double middle = clock_seconds();
        if (batch->tape) {
            must(hn_device_gradient(b->device, batch, gradient, workspace, NULL, &error), &error);
            must_cuda(b->device, b->device->driver.stream_wait(NULL));
        }
        best.forward = fmin(best.forward, middle - begun);
        best.backward = fmin(best.backward, clock_seconds() - middle);
    }
    return best;
}

/* A tape of all of the paper's steps over a thousand stages has 4 MB a sample: of large batches only the way forward is timed. */
static const size_t MOST_TAPE = (size_t)24 << 30;

/* Steps of all samples. */
static double count_steps(const struct bench *b, const hn_batch *batch) {
    hn_report *reports = calloc(batch->count, sizeof *reports);
    double steps = 0;
    cuda_address at;
    memcpy(&at, &batch->reports, sizeof at);
    must_cuda(b->device, b->device->driver.copy_out(reports, at, batch->count * sizeof *reports, NULL));
    must_cuda(b->device, b->device->driver.stream_wait(NULL));
    for (size_t i = 0; i < batch->count; i++)
        steps += reports[i].iterations;
    free(reports);
    return steps;
}

static void measure(const struct bench *b, size_t count, double cpu) {
    size_t bytes = count * b->outputs * sizeof(double), tape = hn_device_tape_bytes(b->device, count);
    bool pulls = tape <= MOST_TAPE;
    hn_batch batch = {.size = sizeof batch, .count = count, .report_size = sizeof(hn_report)};
    hn_gradient gradient = {.size = sizeof gradient};
    batch.x = take(b->device, b->drawn.x, count * b->inputs * sizeof(double));
    batch.y_raw = take(b->device, b->drawn.raw, bytes);
    batch.y = take(b->device, NULL, bytes);
    batch.reports = take(b->device, NULL, count * sizeof(hn_report));
    batch.tape = pulls ? take(b->device, NULL, tape) : NULL;
    gradient.grad_y = take(b->device, b->drawn.grad_y, bytes);
    gradient.grad_y_raw = take(b->device, NULL, bytes);
    void *workspace = take(b->device, NULL, hn_device_workspace_bytes(b->device, count));
    struct times times = time_calls(b, &batch, &gradient, workspace);
    double steps = count_steps(b, &batch), each = times.forward * 1e6 / steps;
    printf("  %-6s batch %6zu: %8.4f us per sample and step", hn_method_text(b->options.method), count, each);
    if (cpu > 0)
        printf(", %.1f times generated code on %d threads", cpu / each, CPU_THREADS);
    if (pulls)
        printf(", the way back %.4f us", times.backward * 1e6 / steps);
    printf("; %.1f steps, workspace %.2f GB\n", steps / (double)count,
           1e-9 * (double)hn_device_workspace_bytes(b->device, count));
    fflush(stdout);
    const void *all[] = {batch.x,         batch.y_raw,         batch.y,  batch.reports, batch.tape,
                         gradient.grad_y, gradient.grad_y_raw, workspace};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        drop(b->device, all[i]);
}

/* ---- the CPU ---- */

static void run_cpu(const struct bench *b, hn_pool *pool, size_t count, double *y, hn_report *reports, double *grad) {
    hn_error error = {.text = ""};
    hn_batch batch = {.size = sizeof batch,
                      .count = count,
                      .x = b->drawn.x,
                      .y_raw = b->drawn.raw,
                      .y = y,
                      .report_size = sizeof(hn_report),
                      .reports = reports};
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = b->drawn.grad_y, .grad_y_raw = grad};
    batch.tape = grad ? malloc(hn_layer_tape_bytes(b->layer, count)) : NULL;
    must(hn_pool_run(pool, &batch, &error), &error);
    if (grad)
        must(hn_pool_gradient(pool, &batch, &gradient, &error), &error);
    free(batch.tape);
}

/* Microseconds per sample and step of generated code; 0: there is no compiler. */
static double time_generated(const struct bench *b) {
    hn_kernel_info kernel = {.size = sizeof kernel};
    hn_layer_options options = b->options;
    hn_error error = {.text = ""};
    hn_layer *layer;
    hn_pool *pool;
    double *y = calloc(CPU_SAMPLES * b->outputs, sizeof *y), best = INFINITY;
    if (hn_kernel_compile(b->model, &options, NULL, &kernel, &error) != HN_OK) {
        printf("  no generated code on the CPU: %s\n", error.text);
        free(y);
        return 0;
    }
    options.kernel = kernel.path;
    must(hn_layer_create(&layer, b->model, &options, &error), &error);
    must(hn_pool_create(&pool, layer, CPU_THREADS, &error), &error);
    for (int i = 0; i < ROUNDS; i++) {
        double begun = clock_seconds();
        run_cpu(b, pool, CPU_SAMPLES, y, NULL, NULL);
        best = fmin(best, clock_seconds() - begun);
    }
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    free(y);
    best = best * 1e6 / (CPU_SAMPLES * (double)options.iterations);
    printf("  generated code on %d threads of this CPU: %.4f us per sample and step\n", CPU_THREADS, best);
    return best;
}

/* ---- bits ---- */

static size_t count_equal(const double *a, const double *b, size_t count) {
    size_t equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += memcmp(&a[i], &b[i], sizeof *a) == 0;
    return equal;
}

struct results {
    double *y, *grad;
    hn_report *reports;
};

static struct results results_for(const struct bench *b) {
    return (struct results){calloc(BITS * b->outputs, sizeof(double)), calloc(BITS * b->outputs, sizeof(double)),
                            calloc(BITS, sizeof(hn_report))};
}

static void results_free(const struct results *r) {
    free(r->y);
    free(r->grad);
    free(r->reports);
}

static void compare_bits(const struct bench *b) {
    struct results ours = results_for(b), theirs = results_for(b);
    size_t numbers = BITS * b->outputs, reports = 0, ok[2] = {0, 0};
    hn_error error = {.text = ""};
    hn_pool *pool;
    hn_batch batch = {.size = sizeof batch,
                      .count = BITS,
                      .x = b->drawn.x,
                      .y_raw = b->drawn.raw,
                      .y = theirs.y,
                      .report_size = sizeof(hn_report),
                      .reports = theirs.reports};
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = b->drawn.grad_y, .grad_y_raw = theirs.grad};
    must(hn_device_run_host(b->device, &batch, &gradient, &error), &error);
    must(hn_pool_create(&pool, b->layer, 0, &error), &error);
    run_cpu(b, pool, BITS, ours.y, ours.reports, ours.grad);
    hn_pool_destroy(pool);
    for (size_t i = 0; i < BITS; i++) {
        reports += memcmp(&ours.reports[i], &theirs.reports[i], sizeof *ours.reports) == 0;
        ok[0] += theirs.reports[i].outcome == HN_OUTCOME_OK;
        ok[1] += ours.reports[i].outcome == HN_OUTCOME_OK;
    }
    if (b->precision == HN_PRECISION_FLOAT32)
        printf("  %-6s ok: %zu of %d, %zu on the CPU\n", hn_method_text(b->options.method), ok[0], BITS, ok[1]);
    else
        printf("  %-6s bits of the CPU: %zu of %zu outputs, %zu of %zu gradients, %zu of %d reports\n",
               hn_method_text(b->options.method), count_equal(ours.y, theirs.y, numbers), numbers,
               count_equal(ours.grad, theirs.grad, numbers), numbers, reports, BITS);
    results_free(&ours);
    results_free(&theirs);
}

/* ---- all of it ---- */

static void show_device(const struct bench *b) {
    hn_device_info info = {.size = sizeof info};
    hn_device_get_info(b->device, &info, NULL);
    printf("  %-6s %s on %s; %s, %.1f s of compiling, %d registers\n", hn_method_text(b->options.method),
           hn_device_form_text(b->device->choice.form), info.name, info.found ? "from the cache" : "compiled",
           info.seconds, info.registers);
}

static void run_method(struct bench *b, hn_method method) {
    hn_device_options device = hn_device_defaults();
    hn_error error = {.text = ""};
    device.precision = b->precision;
    b->options = hn_layer_defaults();
    b->options.method = method;
    if (method == HN_METHOD_PAPER)
        b->options.iterations = PAPER_STEPS;
    must(hn_layer_create(&b->layer, b->model, &b->options, &error), &error);
    b->options = hn_layer_options_of(b->layer);
    must(hn_device_layer_create(&b->device, b->model, &b->options, &device, &error), &error);
    show_device(b);
    compare_bits(b);
    double cpu = method == HN_METHOD_PAPER ? time_generated(b) : 0;
    must(device_enter(b->device, &error), &error);
    for (size_t i = 0; i < BATCHES && (method == HN_METHOD_PAPER || b->outputs <= MOST_OUTPUTS); i++)
        measure(b, batches[i], cpu);
    device_leave(b->device);
    hn_device_layer_destroy(b->device);
    hn_layer_destroy(b->layer);
}

static void run_horizon(const char *horizon, bool single) {
    struct bench b = {.model = read_horizon(horizon)};
    b.precision = single ? HN_PRECISION_FLOAT32 : HN_PRECISION_FLOAT64;
    b.inputs = hn_model_input_count(b.model);
    b.outputs = hn_model_output_count(b.model);
    printf("unicycle, N = %s: %zu outputs, %zu rows\n", horizon, b.outputs, hn_model_row_count(b.model));
    b.drawn = draw_samples(b.model, batches[BATCHES - 1], 0.5);
    run_method(&b, HN_METHOD_PAPER);
    run_method(&b, HN_METHOD_AUTO);
    run_method(&b, HN_METHOD_LM);
    free(b.drawn.x);
    free(b.drawn.raw);
    free(b.drawn.grad_y);
    hn_model_destroy(b.model);
}

static const char HELP[] =
    "usage: device_horizon [--float32] [N ...]\n\n"
    "The unicycle over N stages (100 and 1000) on a GPU, beside generated code on two threads of\n"
    "the CPU, with bits compared; --float32: steps in float, whose bits are not the CPU's.\n";

int main(int count, char **words) {
    static const char *const options[] = {"--float32", NULL};
    command_line_check(count, words, HELP, options, count);
    bool single = count > 1 && strcmp(words[1], options[0]) == 0;
    count -= single;
    words += single;
    if (count == 1) {
        run_horizon("100", single);
        run_horizon("1000", single);
    }
    for (int i = 1; i < count; i++)
        run_horizon(words[i], single);
    return 0;
}
