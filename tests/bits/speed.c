/* speed.c - speed FIGURE MODELS [REPEATS]: work whose cost scripts/compare-speed compares between two libraries.
 *
 * One figure a call: the unicycle of the paper, samples from a fixed seed, one thread, through the public headers only. Without REPEATS it
 * works for a quarter of a second of processor time and prints microseconds a sample; with REPEATS it does the work that often and
 * prints nothing, for an instruction counter. FIGURE is METHOD-WAY-COUNT[-INSTRUCTIONS]: auto-forward-8, paper-gradient-1-avx2.
 * `speed list` prints all figures.
 *
 * SPDX-License-Identifier: MIT */
#include "bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef BITS_STRUCTS_HAVE_SIZES
static const hn_batch empty_batch = {.size = sizeof(hn_batch), .report_size = sizeof(hn_report)};
static const hn_gradient empty_gradient = {.size = sizeof(hn_gradient)};
#else
static const hn_batch empty_batch = {.count = 0};
static const hn_gradient empty_gradient = {.grad_y = NULL};
#endif

enum { PATH_BYTES = 4096, PAPER_STEPS = 50 };
static const double QUARTER = 0.25; /* seconds */

static const char *const methods[] = {"paper", "lm", "auto"}, *const ways[] = {"forward", "gradient"};
static const size_t counts[] = {1, 8, 1000};

struct work {
    char method[16], way[16], instructions[16];
    size_t count;
    struct problem problem;
    hn_layer *layer;
    hn_batch batch;
    hn_gradient gradient;
    void *workspace;
    size_t bytes;
};

void bits_run_problem(FILE *out, const struct problem *problem) { /* bits_models.c would run model files */
    (void)out;
    (void)problem;
}

static void stop(const char *text) {
    fprintf(stderr, "speed: %s\n", text);
    exit(2);
}

static void list_figures(void) {
    for (size_t m = 0; m < 3; m++)
        for (size_t w = 0; w < 2; w++)
            for (size_t c = 0; c < 3; c++)
                printf("%s-%s-%zu\n", methods[m], ways[w], counts[c]);
    puts("paper-forward-1000-avx2\npaper-forward-1000-portable\npaper-forward-1-portable");
}

/* Rough plans: the start values and a little noise, at states of the box. */
static void draw(struct work *work, const char *models) {
    char path[PATH_BYTES];
    const char *paths[] = {path};
    struct dice dice = bits_dice_start(1, 1);
    hn_model *model;
    hn_error error;
    snprintf(path, sizeof path, "%s/unicycle.mod", models);
    if (hn_model_read(&model, 1, paths, NULL, &error) != HN_OK)
        stop(error.text);
    bits_problem_begin(&work->problem, "unicycle", model, work->count);
    for (size_t i = 0; i < work->count * work->problem.inputs; i++) {
        hn_input_info input = hn_model_input(model, i % work->problem.inputs);
        work->problem.x[i] = bits_dice_between(&dice, input.lower, input.upper);
    }
    for (size_t i = 0; i < work->count * work->problem.outputs; i++)
        work->problem.y_raw[i] = 0.3 * bits_dice_normal(&dice);
}

static hn_layer *make_layer(const struct work *work) {
    hn_layer_options options = hn_layer_defaults();
    hn_layer *layer;
    hn_error error;
    if (!hn_method_find(work->method, &options.method))
        stop("unknown method");
    if (options.method == HN_METHOD_PAPER) {
        options.iterations = PAPER_STEPS;
        options.tolerance = 0;
    }
#ifdef BITS_INSTRUCTIONS_ARE_NUMBERS
    if (work->instructions[0] && !hn_instructions_find(work->instructions, &options.instructions))
        stop("unknown instructions");
#else
    options.instructions = work->instructions[0] ? work->instructions : NULL;
#endif
    if (hn_layer_create(&layer, work->problem.model, &options, &error) != HN_OK)
        stop(error.text);
    return layer;
}

static void prepare(struct work *work, const char *models) {
    draw(work, models);
    work->layer = make_layer(work);
    struct problem *p = &work->problem;
    size_t n = work->count;
    double *grad_y = bits_reserve(n * p->outputs, sizeof *grad_y);
    for (size_t i = 0; i < n * p->outputs; i++)
        grad_y[i] = 1;
    work->batch = empty_batch;
    work->batch.count = n;
    work->batch.x = p->x;
    work->batch.y_raw = p->y_raw;
    work->batch.y = bits_reserve(n * p->outputs, sizeof(double));
    work->batch.reports = bits_reserve(n, sizeof(hn_report));
    work->gradient = empty_gradient;
    work->gradient.grad_y = grad_y;
    work->gradient.grad_y_raw = bits_reserve(n * p->outputs, sizeof(double));
    work->gradient.grad_x = bits_reserve(n * p->inputs, sizeof(double));
    if (strcmp(work->way, "gradient") == 0)
        work->batch.tape = bits_reserve(1, hn_layer_tape_bytes(work->layer, n));
    work->bytes = hn_layer_workspace_bytes(work->layer);
    if (hn_layer_gradient_workspace_bytes(work->layer) > work->bytes)
        work->bytes = hn_layer_gradient_workspace_bytes(work->layer);
    work->workspace = bits_reserve(1, work->bytes);
}

/* Both directions where the gradient is asked for: alone it has no tape. */
static void do_once(const struct work *work) {
    hn_error error;
    if (hn_layer_run(work->layer, &work->batch, work->workspace, work->bytes, &error) != HN_OK)
        stop(error.text);
    if (work->batch.tape &&
        hn_layer_gradient(work->layer, &work->batch, &work->gradient, work->workspace, work->bytes, &error) != HN_OK)
        stop(error.text);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The least time of one call, over a quarter of a second: what else runs on the machine only adds. */
static double microseconds(const struct work *work) {
    double least = INFINITY, begin = processor_seconds(), now = begin;
    size_t calls = 1 + 200 / work->count; /* long enough for the clock */
    while (now - begin < QUARTER) {
        double before = now;
        for (size_t i = 0; i < calls; i++)
            do_once(work);
        now = processor_seconds();
        least = fmin(least, (now - before) / (double)(calls * work->count));
    }
    return 1e6 * least;
}

int main(int argc, char **argv) {
    struct work work = {.count = 0};
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list_figures(), 0;
    if (argc < 3 ||
        sscanf(argv[1], "%15[a-z]-%15[a-z]-%zu-%15[a-z0-9]", work.method, work.way, &work.count, work.instructions) < 3)
        stop("usage: speed list | speed FIGURE MODELS [REPEATS]");
    prepare(&work, argv[2]);
    do_once(&work);
    if (argc == 3)
        printf("%.5f\n", microseconds(&work));
    else
        for (long left = strtol(argv[3], NULL, 10); left > 0; left--)
            do_once(&work);
    return 0;
}
