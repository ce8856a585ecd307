/* structure.c - a few dense rows and columns beside sparse ones: what a step costs, and whether `auto` arrives.
 *
 * Usage: structure [most outputs, 10000 [only this model]]. For each model and size: the factor, multiply-adds of the linear algebra,
 * processor time of a paper step for one sample and for eight side by side, and the same of `auto` with its outcome. "times" is the
 * time of eight samples over that of the chain alone with as many outputs, where that has been run.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/lanes.h"
#include "command_line.h"
#include "hardnet/layer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAPER_STEPS = 20 };

static void expect(hn_status status, const hn_error *error) {
    if (status == HN_OK)
        return;
    fprintf(stderr, "structure: %s\n", error->text);
    exit(1);
}

static void *reserve(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) {
        fprintf(stderr, "structure: out of memory\n");
        exit(1);
    }
    return memory;
}

/* ---- models ---- */

/* States z and controls u of a chain, a common rate t, and `couplings` means p of the states. */
struct recipe {
    const char *name;
    bool chain;    /* z_i+1 = z_i + 0.1 u_i + 0.05 sin z_i, |u| <= 1; else y_i^2 <= 4 */
    bool budget;   /* a row over all controls */
    bool common;   /* t in every row of the chain, |t| <= 1 */
    int couplings; /* means of the states that act on every state; dense rows where there is no chain */
};

static const struct recipe RECIPES[] = {
    {"chain", true, false, false, 0},         {"chain, budget", true, true, false, 0},
    {"chain, common", true, false, true, 0},  {"chain, budget, common", true, true, true, 0},
    {"chain, rank 3", true, false, false, 3}, {"separable, 5 dense rows", false, false, false, 5},
};
enum { RECIPE_COUNT = sizeof RECIPES / sizeof RECIPES[0] };

static hn_expr output(hn_model *model, const char *name, int i, double bound) {
    char text[32];
    snprintf(text, sizeof text, "%s[%d]", name, i);
    hn_expr y = hn_output(model, text);
    if (bound > 0)
        hn_output_bounds(y, -bound, bound);
    return y;
}

static void row(hn_model *model, const char *name, int i, hn_expr body, double upper, bool equality) {
    char text[32];
    snprintf(text, sizeof text, "%s[%d]", name, i);
    hn_constrain(model, text, equality ? upper : -INFINITY, body, upper);
}

static hn_expr coupling(hn_model *model, const struct recipe *r, const hn_expr *p, int i) {
    hn_expr sum = hn_constant(model, 0);
    for (int k = 0; k < r->couplings; k++)
        sum = hn_add(sum, hn_scale(0.1 * cos((double)i * (k + 1)), p[k]));
    return sum;
}

/* p_k = mean of sin(j (k + 2)) z_j */
static void means(hn_model *model, const struct recipe *r, const hn_expr *p, const hn_expr *z, int n) {
    hn_expr *terms = reserve((size_t)n, sizeof *terms);
    for (int k = 0; k < r->couplings; k++) {
        for (int j = 0; j < n; j++)
            terms[j] = hn_scale(sin((double)j * (k + 2)) / n, z[j]);
        row(model, "mean", k, hn_sub(hn_sum(model, (size_t)n, terms), p[k]), 0, true);
    }
    free(terms);
}

static void make_chain(hn_model *model, const struct recipe *r, int n) {
    hn_expr *z = reserve((size_t)n, sizeof *z), *u = reserve((size_t)n, sizeof *u), p[8] = {{0}};
    hn_expr t = r->common ? output(model, "t", 0, 1) : hn_constant(model, 0);
    for (int k = 0; k < r->couplings; k++)
        p[k] = output(model, "p", k, 0);
    for (int i = 0; i < n; i++) {
        z[i] = output(model, "z", i, 0);
        u[i] = output(model, "u", i, 1);
    }
    row(model, "start", 0, z[0], 0.5, true);
    for (int i = 0; i + 1 < n; i++) {
        hn_expr next = hn_add(hn_add(z[i], hn_scale(0.1, u[i])), hn_scale(0.05, hn_sin(z[i])));
        next = hn_add(hn_add(next, hn_scale(0.1, t)), coupling(model, r, p, i));
        row(model, "dynamics", i, hn_sub(z[i + 1], next), 0, true);
    }
    for (int i = 0; r->budget && i < n; i++)
        z[i] = hn_mul(u[i], u[i]);
    if (r->budget)
        row(model, "budget", 0, hn_sum(model, (size_t)n, z), 0.1 * n, false);
    means(model, r, p, z, n);
    free(z);
    free(u);
}

static void make_separable(hn_model *model, const struct recipe *r, int n) {
    hn_expr *y = reserve((size_t)n, sizeof *y), *terms = reserve((size_t)n, sizeof *terms);
    for (int i = 0; i < n; i++) {
        y[i] = output(model, "y", i, 0);
        row(model, "square", i, hn_mul(y[i], y[i]), 4, false);
    }
    for (int k = 0; k < r->couplings; k++) {
        for (int j = 0; j < n; j++)
            terms[j] = hn_scale(cos((double)j * (k + 1)), y[j]);
        row(model, "dense", k, hn_sum(model, (size_t)n, terms), 1, true);
    }
    free(y);
    free(terms);
}

/* With about so many outputs. */
static hn_model *make_model(const struct recipe *r, int outputs) {
    hn_error error;
    hn_model *model;
    expect(hn_model_create(&model, NULL, &error), &error);
    if (r->chain)
        make_chain(model, r, outputs / 2);
    else
        make_separable(model, r, outputs);
    expect(hn_model_finish(model, &error), &error);
    return model;
}

/* ---- runs ---- */

/* Eight samples, and what a layer made of them. */
struct run {
    hn_layer *layer;
    double build;           /* seconds */
    double alone, together; /* seconds per step: of one sample, of eight */
    double violation;       /* the largest */
    int steps, ok;          /* of the sample that took most; of eight */
};

static double processor_time(const hn_layer *layer, hn_batch *batch, size_t count, int *steps) {
    hn_error error;
    size_t bytes = hn_layer_workspace_bytes(layer);
    void *workspace = reserve(bytes, 1);
    double best = INFINITY;
    batch->count = count;
    for (int i = 0; i < 3; i++) {
        double start = clock_busy_seconds();
        expect(hn_layer_run(layer, batch, workspace, bytes, &error), &error);
        best = fmin(best, clock_busy_seconds() - start);
    }
    free(workspace);
    *steps = 1;
    for (size_t i = 0; i < count; i++)
        *steps = batch->reports[i].iterations > *steps ? batch->reports[i].iterations : *steps;
    return best / *steps;
}

static struct run run_method(const hn_model *model, hn_method method) {
    struct run run = {.violation = 0};
    hn_error error;
    hn_layer_options options = hn_layer_defaults();
    size_t outputs = hn_model_output_count(model);
    double *y_raw = reserve(outputs * LANES, sizeof *y_raw), *y = reserve(outputs * LANES, sizeof *y);
    hn_report reports[LANES];
    options.method = method;
    if (method == HN_METHOD_PAPER)
        options.iterations = PAPER_STEPS;
    double start = clock_busy_seconds();
    expect(hn_layer_create(&run.layer, model, &options, &error), &error);
    run.build = clock_busy_seconds() - start;
    for (size_t i = 0; i < outputs * LANES; i++)
        y_raw[i] = 0.5 * sin(1.7 * (double)i);
    hn_batch batch = {.size = sizeof batch, .y_raw = y_raw, .y = y, .reports = reports, .report_size = sizeof *reports};
    run.alone = processor_time(run.layer, &batch, 1, &run.steps);
    run.together = processor_time(run.layer, &batch, LANES, &run.steps);
    for (int i = 0; i < LANES; i++) {
        run.violation = fmax(run.violation, reports[i].violation);
        run.ok += reports[i].outcome == HN_OUTCOME_OK;
    }
    free(y_raw);
    free(y);
    return run;
}

static void print_run(const struct recipe *r, hn_method method, const struct run *run, double chain) {
    hn_layer_info info = hn_layer_info_of(run->layer);
    printf("  %-24s %-5s %7zu %7zu %7zu %-7s %9zu %11zu %8.3f %9.4f %9.4f %6.2f", r->name,
           method == HN_METHOD_AUTO ? "auto" : "paper", info.outputs, info.rows, info.factor_order,
           info.outputs_side ? "outputs" : "rows", info.factor_nonzeros, info.multiply_adds, run->build,
           1e3 * run->alone, 1e3 * run->together, run->together / chain);
    if (method == HN_METHOD_AUTO)
        printf(" %d/%d ok in %d, %.1e", run->ok, LANES, run->steps, run->violation);
    printf("\n");
}

static void print_size(int outputs, const char *only) {
    static const hn_method methods[2] = {HN_METHOD_PAPER, HN_METHOD_AUTO};
    double chain[2] = {NAN, NAN};
    for (int i = 0; i < RECIPE_COUNT; i++)
        for (int m = 0; m < 2; m++) {
            if (only && strcmp(only, RECIPES[i].name) != 0)
                continue;
            hn_model *model = make_model(&RECIPES[i], outputs);
            struct run run = run_method(model, methods[m]);
            if (i == 0)
                chain[m] = run.together;
            print_run(&RECIPES[i], methods[m], &run, chain[m]);
            hn_layer_destroy(run.layer);
            hn_model_destroy(model);
        }
}

static const char HELP[] =
    "usage: structure [MOST [MODEL]]\n\n"
    "What a step costs with a few dense rows and columns beside sparse ones: 100 outputs and more, up\n"
    "to MOST, 10000 unless given; MODEL: only the one of this name.\n";

int main(int argc, char **argv) {
    static const char *const options[] = {NULL};
    command_line_check(argc, argv, HELP, options, 2);
    int most = argc > 1 ? atoi(argv[1]) : 10000;
    if (most < 100)
        command_line_refuse("structure", argv[1]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("dense rows and columns beside sparse ones; ms of processor time per step, of one sample and of %d\n",
           LANES);
    printf("  %-24s %-5s %7s %7s %7s %-7s %9s %11s %8s %9s %9s %6s\n", "", "", "outputs", "rows", "unknown", "side",
           "factor", "mult-adds", "build s", "one", "eight", "times");
    for (int outputs = 100; outputs <= most; outputs *= 10)
        print_size(outputs, argc > 2 ? argv[2] : NULL);
    return 0;
}
