/* layer_speed_generated.c - generated kernels beside the listed ones: time, compile time, size of the code, and the same bits.
 *
 * The unicycle of several horizons by the paper's step, forward and with gradients, and by `auto`, on one thread. A kernel is
 * generated, compiled by the system's C compiler (cc) and loaded; then both layers run in turns, and the best time of each counts.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "codegen/kernel/compile.h"
#include "codegen/kernel/kernel_source.h"
#include "layer/driver.h"
#include "layer_speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 11, SIDES = 2, FLAGS = 32, COMMAND = 4096 };

struct case_of {
    const char *name;
    hn_method method;
    int horizon, steps; /* 0 steps: the method's own */
    size_t batch;
    bool gradients;
    double goal, compile_goal; /* times as fast; seconds */
};

/* One layer twice: listed, generated. */
struct duel {
    const struct case_of *at;
    hn_model *model;
    hn_layer *listed, generated;
    struct kernel *kernel;
    struct samples samples;
    double generate_seconds, compile_seconds;
    long long code_bytes;
    double *grad_y, *grad[SIDES], *y[SIDES];
    hn_report *reports[SIDES];
    void *tape, *workspace;
    size_t bytes;
    double best[SIDES];
};

static double child_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

/* ---- compiling ---- */

static bool run_compiler(const char *source, const char *object) {
    char command[COMMAND];
    const char *flags[FLAGS];
    size_t count = generate_flags(HN_INSTRUCTIONS_BEST, flags, FLAGS);
    int length = snprintf(command, sizeof command, "CCACHE_DISABLE=1 cc %s", generate_level());
    for (size_t i = 0; i < count; i++)
        length += snprintf(command + length, sizeof command - (size_t)length, " %s", flags[i]);
    snprintf(command + length, sizeof command - (size_t)length, " -o %s %s -lm", object, source);
    return system(command) == 0;
}

static void write_text(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0)
        fail("cannot write the generated text");
}

static bool make_kernel(struct duel *duel) {
    char folder[] = "/tmp/hardnet-bench-XXXXXX", source[64], object[64];
    const struct generate_options options = {HN_INSTRUCTIONS_BEST, duel->at->gradients};
    struct generated_text text;
    struct stat size;
    hn_error error;
    double start = now(1);
    expect(generate_lanes(&text, duel->listed->plan, &options, &error), &error);
    duel->generate_seconds = now(1) - start;
    if (!mkdtemp(folder))
        fail("there is no folder for the kernel");
    snprintf(source, sizeof source, "%s/kernel.c", folder);
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    write_text(source, text.bytes, text.length);
    base_release(text.bytes);
    start = child_seconds();
    bool compiled = run_compiler(source, object);
    duel->compile_seconds = child_seconds() - start;
    if (compiled) {
        expect(kernel_open(&duel->kernel, object, duel->listed->plan, HN_INSTRUCTIONS_BEST, &error), &error);
        duel->code_bytes = stat(object, &size) == 0 ? (long long)size.st_size : 0;
    }
    remove(source);
    remove(object);
    rmdir(folder);
    return compiled;
}

/* ---- two layers ---- */

static hn_layer *layer_of(const struct case_of *at, const hn_model *model) {
    hn_layer *layer;
    hn_error error;
    if (at->method == HN_METHOD_PAPER)
        return paper_layer(model, at->steps, HN_INSTRUCTIONS_BEST);
    expect(hn_layer_create(&layer, model, NULL, &error), &error);
    return layer;
}

static bool duel_begin(struct duel *duel, const struct case_of *at) {
    hn_error error;
    *duel = (struct duel){.at = at, .best = {INFINITY, INFINITY}};
    duel->model = unicycle_model(at->horizon);
    duel->samples = unicycle_samples(at->horizon, at->batch);
    duel->listed = layer_of(at, duel->model);
    if (!make_kernel(duel))
        return false;
    duel->generated = *duel->listed;
    expect(executor_open_kernel(&duel->generated.lanes, duel->listed->plan, duel->kernel, &error), &error);
    duel->bytes = hn_layer_workspace_bytes(&duel->generated);
    duel->workspace = reserve(duel->bytes, 1);
    duel->tape = at->gradients ? reserve(hn_layer_tape_bytes(duel->listed, at->batch), 1) : NULL;
    size_t numbers = at->batch * duel->samples.outputs;
    duel->grad_y = reserve(numbers, sizeof *duel->grad_y);
    for (size_t i = 0; i < numbers; i++)
        duel->grad_y[i] = 1;
    for (int side = 0; side < SIDES; side++) {
        duel->y[side] = reserve(numbers, sizeof *duel->y[side]);
        duel->grad[side] = reserve(numbers, sizeof *duel->grad[side]);
        duel->reports[side] = reserve(at->batch, sizeof *duel->reports[side]);
    }
    return true;
}

static void duel_end(struct duel *duel) {
    for (int side = 0; side < SIDES; side++) {
        free(duel->y[side]);
        free(duel->grad[side]);
        free(duel->reports[side]);
    }
    free(duel->grad_y);
    free(duel->tape);
    free(duel->workspace);
    if (duel->kernel)
        executor_close(&duel->generated.lanes);
    kernel_close(duel->kernel);
    hn_layer_destroy(duel->listed);
    samples_release(&duel->samples);
    hn_model_destroy(duel->model);
}

static void run_side(struct duel *duel, int side) {
    const hn_layer *layer = side ? &duel->generated : duel->listed;
    hn_batch batch = samples_batch(&duel->samples, 0, duel->at->batch);
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = duel->grad_y, .grad_y_raw = duel->grad[side]};
    hn_error error;
    batch.y = duel->y[side];
    batch.reports = duel->reports[side];
    batch.tape = duel->tape;
    double start = now(1);
    expect(hn_layer_run(layer, &batch, duel->workspace, duel->bytes, &error), &error);
    if (duel->at->gradients)
        expect(hn_layer_gradient(layer, &batch, &gradient, duel->workspace, duel->bytes, &error), &error);
    duel->best[side] = fmin(duel->best[side], now(1) - start);
}

static bool same_bits(const struct duel *duel) {
    size_t bytes = duel->at->batch * duel->samples.outputs * sizeof(double);
    return memcmp(duel->y[0], duel->y[1], bytes) == 0 && memcmp(duel->grad[0], duel->grad[1], bytes) == 0 &&
           memcmp(duel->reports[0], duel->reports[1], duel->at->batch * sizeof *duel->reports[0]) == 0;
}

static void print_duel(const struct duel *duel) {
    const struct case_of *at = duel->at;
    double steps = 0;
    for (size_t i = 0; i < at->batch; i++)
        steps += duel->reports[0][i].iterations;
    printf("  %-26s %5d %10.4f %10.4f %8.2fx %5.1fx %8.2f %8.2f %6.0f %9.1f %6s\n", at->name, at->horizon,
           1e6 * duel->best[0] / steps, 1e6 * duel->best[1] / steps, duel->best[0] / duel->best[1], at->goal,
           duel->generate_seconds, duel->compile_seconds, at->compile_goal, 1e-3 * (double)duel->code_bytes,
           same_bits(duel) ? "same" : "OTHER");
}

void print_generated(void) {
    static const struct case_of cases[] = {
        {"paper", HN_METHOD_PAPER, 10, 500, 1000, false, 3.5, 3},
        {"paper", HN_METHOD_PAPER, 100, 100, 64, false, 2, 20},
        {"paper", HN_METHOD_PAPER, 1000, 100, 8, false, 2, 60},
        {"paper and its gradient", HN_METHOD_PAPER, 10, 100, 400, true, 2.5, 8},
        {"auto to 1e-8", HN_METHOD_AUTO, 10, 0, 1000, false, 2.5, 3},
        {"auto and its gradient", HN_METHOD_AUTO, 10, 0, 1000, true, 2.5, 8},
    };
    printf("\ngenerated kernels beside the listed ones: unicycle, 1 thread, us per sample and step; seconds, and KB of "
           "code\n");
    printf("  %-26s %5s %10s %10s %9s %6s %8s %8s %6s %9s %6s\n", "", "N", "listed", "generated", "faster", "goal",
           "generate", "compile", "goal", "code", "bits");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct duel duel;
        bool there = duel_begin(&duel, &cases[i]);
        for (int round = 0; round < ROUNDS && there; round++)
            for (int side = 0; side < SIDES; side++)
                run_side(&duel, side);
        if (there)
            print_duel(&duel);
        else
            printf("  %-26s there is no C compiler\n", cases[i].name);
        duel_end(&duel);
    }
}
