/* emitted_speed.c - one call of an emitted file beside the library at batch 1: the unicycle, 100 raw outputs, gcc -O2.
 *
 *     build/bench/emitted_speed [CC]    gcc
 *
 * The layer is emitted, compiled by the system's C compiler and loaded; both correct the same outputs, one by one, in turns.
 * Processor time, the least of the turns. Exit status 1: a result differs.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "hardnet/emit.h"
#include "hardnet/layer.h"
#include "hardnet/read.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 100, TURNS = 60, INPUTS = 3, OUTPUTS = 50, PAPER_STEPS = 20, WRONG = 1, MISUSED = 2 };

typedef int run_function(const double *x, double *y);

static const char wrapper[] = "#include \"layer.c\"\nint run(const double *, double *);\n"
                              "int run(const double *x, double *y) {\n    static layer_work work;\n"
                              "    static int ready;\n    layer_report report;\n    if (!ready)\n"
                              "        layer_init(&work);\n    ready = 1;\n"
                              "    return layer_solve(&work, x, y, &report);\n}\n";

struct samples {
    double x[SAMPLES][INPUTS], raw[SAMPLES][OUTPUTS], library[SAMPLES][OUTPUTS], emitted[SAMPLES][OUTPUTS];
};

static void fail(const char *text) {
    fprintf(stderr, "emitted_speed: %s\n", text);
    exit(MISUSED);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_text(const char *folder, const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail("the emitted file cannot be written");
}

static void remove_folder(const char *folder) {
    static const char names[][12] = {"layer.h", "layer.c", "run.c", "run.so"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

static run_function *emitted(const hn_model *model, const hn_layer_options *layer, const char *compiler) {
    char folder[] = "/tmp/emitted-XXXXXX", command[512], path[64];
    hn_emit_options options = {.size = sizeof options};
    hn_emitted files;
    run_function *run = NULL;
    hn_emit_get_defaults(&options, NULL);
    options.layer = *layer;
    options.name = "layer";
    if (!mkdtemp(folder) || hn_emit(&files, model, NULL, &options, NULL) != HN_OK)
        fail("the layer cannot be emitted");
    write_text(folder, "layer.h", files.header);
    write_text(folder, "layer.c", files.source);
    write_text(folder, "run.c", wrapper);
    hn_emitted_release(&files);
    snprintf(path, sizeof path, "%s/run.so", folder);
    snprintf(command, sizeof command, "%s -std=c99 -O2 -fPIC -shared -o %s %s/run.c", compiler, path, folder);
    void *object = system(command) == 0 ? dlopen(path, RTLD_NOW) : NULL; // NOLINT(cert-env33-c)
    void *symbol = object ? dlsym(object, "run") : NULL;
    remove_folder(folder);
    if (!symbol)
        fail("the emitted file cannot be compiled");
    memcpy(&run, &symbol, sizeof run);
    return run;
}

static double time_library(const hn_layer *layer, struct samples *s, void *workspace) {
    double begin = seconds();
    for (int i = 0; i < SAMPLES; i++) {
        hn_report report;
        hn_batch batch = {.size = sizeof batch, .count = 1, .x = s->x[i], .y_raw = s->raw[i], .y = s->library[i]};
        batch.report_size = sizeof report;
        batch.reports = &report;
        if (hn_layer_run(layer, &batch, workspace, hn_layer_workspace_bytes(layer), NULL) != HN_OK)
            fail("the layer does not run");
    }
    return seconds() - begin;
}

static double time_emitted(run_function *run, struct samples *s) {
    double begin = seconds();
    for (int i = 0; i < SAMPLES; i++) {
        memcpy(s->emitted[i], s->raw[i], sizeof s->raw[i]);
        run(s->x[i], s->emitted[i]);
    }
    return seconds() - begin;
}

static void compare(const hn_model *model, hn_layer_options options, struct samples *s, const char *compiler) {
    hn_layer *layer;
    double own = 1e9, theirs = 1e9;
    if (hn_layer_create(&layer, model, &options, NULL) != HN_OK)
        fail("the layer cannot be made");
    void *workspace = malloc(hn_layer_workspace_bytes(layer));
    run_function *run = emitted(model, &options, compiler);
    for (int turn = 0; turn < TURNS; turn++) {
        double library = time_library(layer, s, workspace), one = time_emitted(run, s);
        own = one < own ? one : own;
        theirs = library < theirs ? library : theirs;
    }
    printf("%-6s library %6.2f us, emitted %6.2f us a call (%s -O2): %.2f times as fast\n",
           hn_method_text(options.method), 1e6 * theirs / SAMPLES, 1e6 * own / SAMPLES, compiler, theirs / own);
    if (memcmp(s->library, s->emitted, sizeof s->library) != 0) {
        puts("a result differs");
        exit(WRONG);
    }
    free(workspace);
    hn_layer_destroy(layer);
}

int main(int count, char **words) {
    static struct samples s;
    const char *files[] = {"models/unicycle.mod"};
    hn_model *model;
    struct random random = random_start(17, 1);
    if (hn_model_read(&model, 1, files, NULL, NULL) != HN_OK)
        fail("models/unicycle.mod cannot be read from here");
    for (int i = 0; i < SAMPLES; i++) {
        const double x[INPUTS] = {-3 + 0.2 * random_normal(&random), 0.3 * random_normal(&random),
                                  0.2 * random_normal(&random)};
        memcpy(s.x[i], x, sizeof x);
        for (int j = 0; j < OUTPUTS; j++)
            s.raw[i][j] = random_normal(&random);
    }
    hn_layer_options options = hn_layer_defaults();
    compare(model, options, &s, count > 1 ? words[1] : "gcc");
    options.method = HN_METHOD_PAPER;
    options.iterations = PAPER_STEPS;
    compare(model, options, &s, count > 1 ? words[1] : "gcc");
    hn_model_destroy(model);
    return 0;
}
