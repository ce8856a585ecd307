/* optima.c - the method optimal beside IPOPT, on every shipped model that has an objective.
 *
 *     build/bench/optima [--check] [--samples N] [MODEL.mod | FOLDER ...]    models/, 10 samples where there are inputs
 *
 * Both begin at the same start values, of inputs drawn from their box. Ours counts where a sample is ok and its residual of the
 * optimality conditions is at most 1e-6; IPOPT's where IPOPT says that it is solved (acceptable included: 1e-6) and plain evaluation finds
 * every row within 1e-6: more than is asked of ours. Lower: samples whose objective is lower by more than 1e-6 of its size than
 * that of the other, where both count. Time: wall clock per sample, one thread, samples one at a time for IPOPT, in one batch for ours.
 *
 * Exit status 1 with --check: ours counts on a smaller share of the samples than IPOPT. 77 without an IPOPT.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "command_line.h"
#include "feasibility.h"
#include "hardnet/inspect.h"
#include "reference/reference.h"

#include <math.h>

enum { SAMPLES = 10, SEED = 19, WORSE = 1, SKIPPED = 77 };
static const double SMALL = 1e-6;

/* One model's samples, and what both made of them. */
struct trial {
    hn_model *model;
    struct samples samples;
    double *y;
    hn_report *reports;
    struct reference_result *results;
    double made, ours, theirs; /* seconds: for the layer, and for all samples */
};

struct tally {
    size_t models, samples, ours, theirs, ours_lower, theirs_lower, whole_ours, whole_theirs;
};

static void fail(const char *path, const hn_error *error) {
    fprintf(stderr, "optima: %s: %s\n", path, error->text);
    exit(COMMAND_LINE_WRONG);
}

static void run_ours(struct trial *t, const char *path) {
    hn_error error;
    hn_layer *layer;
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_OPTIMAL;
    double begun = clock_seconds();
    if (hn_layer_create(&layer, t->model, &options, &error) != HN_OK)
        fail(path, &error);
    t->made = clock_seconds() - begun;
    size_t bytes = hn_layer_workspace_bytes(layer);
    void *workspace = reserve(bytes, 1);
    const hn_batch batch = {.size = sizeof batch,
                            .count = t->samples.count,
                            .x = t->samples.x,
                            .y_raw = t->samples.y,
                            .y = t->y,
                            .report_size = sizeof *t->reports,
                            .reports = t->reports};
    begun = clock_seconds();
    if (hn_layer_run(layer, &batch, workspace, bytes, &error) != HN_OK)
        fail(path, &error);
    t->ours = clock_seconds() - begun;
    free(workspace);
    hn_layer_destroy(layer);
}

static void run_theirs(struct trial *t, const char *path) {
    hn_error error;
    struct reference *reference;
    if (reference_create(&reference, t->model, NULL, &error) != HN_OK)
        fail(path, &error);
    for (size_t k = 0; k < t->samples.count; k++) {
        const double *start = t->samples.y + k * t->samples.outputs, *x = t->samples.x + k * t->samples.inputs;
        if (reference_solve(reference, x, start, t->y + k * t->samples.outputs, &t->results[k], &error) != HN_OK)
            fail(path, &error);
        t->theirs += t->results[k].seconds;
    }
    reference_destroy(reference);
}

/* ---- counting ---- */

static bool ours_counts(const struct trial *t, size_t k) {
    return t->reports[k].outcome == HN_OUTCOME_OK && t->reports[k].kkt <= SMALL;
}

static bool theirs_counts(const struct trial *t, size_t k) {
    return t->results[k].solved && t->results[k].violation <= SMALL;
}

static void count(const struct trial *t, struct tally *s) {
    double sign = hn_model_objective(t->model).maximize ? -1 : 1;
    *s = (struct tally){.models = 1, .samples = t->samples.count};
    for (size_t k = 0; k < t->samples.count; k++) {
        double ours = sign * t->reports[k].objective, theirs = sign * t->results[k].objective;
        double close = SMALL * fmax(1, fabs(theirs));
        bool both = ours_counts(t, k) && theirs_counts(t, k);
        s->ours += ours_counts(t, k);
        s->theirs += theirs_counts(t, k);
        s->ours_lower += both && ours < theirs - close;
        s->theirs_lower += both && theirs < ours - close;
    }
    s->whole_ours = s->ours == s->samples;
    s->whole_theirs = s->theirs == s->samples;
}

static void print_line(const char *path, const struct trial *t, const struct tally *s) {
    double samples = (double)s->samples;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    printf("%-18s %7zu %6zu %6zu %7zu %7zu %11.2f %11.1f %11.1f\n", name, s->samples, s->ours, s->theirs, s->ours_lower,
           s->theirs_lower, t->made, 1e6 * t->ours / samples, 1e6 * t->theirs / samples);
    fflush(stdout);
}

/* ---- models ---- */

static void contest(const char *path, size_t samples, struct tally *all) {
    const struct wishes wishes = {.starts = 0};
    struct trial t = {.model = NULL};
    struct tally s;
    hn_error error;
    if (read_model(&t.model, path, &wishes, &error) != HN_OK)
        fail(path, &error);
    if (!hn_model_objective(t.model).name) {
        hn_model_destroy(t.model);
        return;
    }
    size_t number = hn_model_input_count(t.model) > 0 ? samples : 1;
    if (samples_create(&t.samples, t.model, number, &error) != HN_OK)
        fail(path, &error);
    for (size_t k = 0; k < number; k++)
        if (samples_draw(&t.samples, t.model, k, START_OWN, SEED, &error) != HN_OK)
            fail(path, &error);
    t.y = reserve(number * t.samples.outputs, sizeof *t.y);
    t.reports = reserve(number, sizeof *t.reports);
    t.results = reserve(number, sizeof *t.results);
    run_ours(&t, path);
    run_theirs(&t, path);
    count(&t, &s);
    print_line(path, &t, &s);
    for (size_t i = 0; i < sizeof s / sizeof(size_t); i++)
        ((size_t *)(void *)all)[i] += ((const size_t *)(const void *)&s)[i];
    free(t.y);
    free(t.reports);
    free(t.results);
    samples_release(&t.samples);
    hn_model_destroy(t.model);
}

static const char help[] = "optima [--check] [--samples N] [MODEL.mod | FOLDER ...]: the method optimal beside IPOPT\n";

int main(int argc, char **argv) {
    static const char *const options[] = {"--check", "--samples", NULL};
    struct paths paths = {.count = 0};
    struct tally all = {.models = 0};
    hn_error error;
    size_t samples = SAMPLES;
    bool check = false;
    command_line_check(argc, argv, help, options, argc);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0)
            check = true;
        else if (strcmp(argv[i], "--samples") == 0 && i + 1 < argc)
            samples = (size_t)strtoul(argv[++i], NULL, 10);
        else if (!paths_add(&paths, argv[i]))
            command_line_refuse("optima", argv[i]);
    }
    if (reference_find(&error) != HN_OK) {
        printf("optima: %s\n", error.text);
        return SKIPPED;
    }
    if (paths.count == 0 && !(paths_add(&paths, "models")))
        command_line_refuse("optima", "models");
    printf("%-18s %7s %6s %6s %7s %7s %11s %11s %11s\n", "model", "samples", "ours", "IPOPT", "lower", "lower",
           "s to make", "us ours", "us IPOPT");
    for (size_t i = 0; i < paths.count; i++)
        contest(paths.items[i], samples > 0 ? samples : 1, &all);
    printf("%zu models, %zu samples: ours %zu (%.1f %%; %zu whole models), IPOPT %zu (%.1f %%; %zu)\n", all.models,
           all.samples, all.ours, 100.0 * (double)all.ours / (double)all.samples, all.whole_ours, all.theirs,
           100.0 * (double)all.theirs / (double)all.samples, all.whole_theirs);
    paths_release(&paths);
    return check && (all.ours < all.theirs || all.whole_ours < all.whole_theirs) ? WORSE : 0;
}
