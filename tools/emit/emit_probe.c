/* emit_probe.c - counts the steps of sampled inputs, and prints the summary of an emitted layer. See emit.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/random.h"
#include "common/inputs.h"
#include "emit/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000, SEED = 1, STREAM = 0x656d6974 };
static const double SECONDS = 1, SHARE = 0.999;

/* Rows of x that meet the model's requirements: how many. */
static size_t emit_probe_draw(const hn_model *model, double *x) {
    size_t inputs = hn_model_input_count(model), count = 0;
    for (size_t k = 0; k < SAMPLES; k++) {
        struct random random = random_start(SEED, STREAM + k);
        bool met = true;
        if (inputs_sample(model, &random, x + count * inputs, &met, NULL) == HN_OK && met)
            count++;
    }
    return count;
}

static int by_size(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

/* The SHARE quantile of the steps of ok samples. */
static void count_steps(struct emit_probe *out, size_t count, const hn_report *reports, int *steps) {
    out->samples = count;
    for (size_t k = 0; k < count; k++)
        if (reports[k].outcome == HN_OUTCOME_OK)
            steps[out->ok++] = reports[k].iterations;
    qsort(steps, out->ok, sizeof *steps, by_size);
    if (out->ok > 0)
        out->steps = steps[(size_t)(SHARE * (double)(out->ok - 1) + 0.5)];
}

static bool run_network(const hn_network *network, size_t count, const double *x, double *y) {
    size_t bytes = network ? hn_network_workspace_bytes(network) : 0;
    void *workspace = network ? base_allocate(bytes) : NULL;
    bool done = workspace && hn_network_run(network, count, x, y, workspace, bytes, NULL) == HN_OK;
    base_release(workspace);
    return done;
}

struct probe_arrays {
    double *x, *y;
    hn_report *reports;
    int *steps;
    size_t candidates; /* of an input */
};

/* The candidates of an input are consecutive samples with that input. */
static void repeat_inputs(double *x, size_t inputs, size_t count, size_t candidates) {
    for (size_t k = count * candidates; k-- > 0;)
        memmove(x + k * inputs, x + k / candidates * inputs, inputs * sizeof *x);
}

static bool emit_probe_run(const hn_pool *pool, const hn_model *model, const hn_network *network,
                           const struct probe_arrays *a, size_t *count) {
    *count = emit_probe_draw(model, a->x);
    bool raw = run_network(network, *count, a->x, a->y);
    repeat_inputs(a->x, hn_model_input_count(model), *count, a->candidates);
    *count *= a->candidates;
    const hn_batch batch = {.size = sizeof batch,
                            .count = *count,
                            .x = hn_model_input_count(model) ? a->x : NULL,
                            .y_raw = raw ? a->y : NULL,
                            .y = a->y,
                            .report_size = sizeof *a->reports,
                            .reports = a->reports,
                            .seconds = SECONDS};
    return *count > 0 && (raw || !network) && hn_pool_run((hn_pool *)pool, &batch, NULL) == HN_OK;
}

bool emit_probe(struct emit_probe *out, const hn_model *model, const hn_network *network,
                const hn_layer_options *options) {
    hn_layer *layer = NULL;
    hn_pool *pool = NULL;
    size_t count = 0, outputs = hn_model_output_count(model);
    size_t candidates = network ? hn_network_options_of(network).outputs / outputs : 1, rows = SAMPLES * candidates;
    struct probe_arrays a = {.x = base_allocate((rows * hn_model_input_count(model) + 1) * sizeof *a.x),
                             .y = base_allocate(rows * outputs * sizeof *a.y),
                             .reports = base_allocate(rows * sizeof *a.reports),
                             .steps = base_allocate(rows * sizeof *a.steps),
                             .candidates = candidates};
    *out = (struct emit_probe){.network = network != NULL};
    bool done = a.x && a.y && a.reports && a.steps && hn_layer_create(&layer, model, options, NULL) == HN_OK &&
                hn_pool_create(&pool, layer, 1, NULL) == HN_OK && emit_probe_run(pool, model, network, &a, &count);
    if (done)
        count_steps(out, count, a.reports, a.steps);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    base_release(a.x);
    base_release(a.y);
    base_release(a.reports);
    base_release(a.steps);
    return done;
}

void emit_print(const hn_emitted *e, const struct emit_probe *probe, bool single) {
    printf("  code        about %.0f kB on a Cortex-M7, %.0f kB on x86-64 (gcc -O2)\n", e->code_arm / 1000,
           e->code_x86 / 1000);
    printf("  memory      %zu bytes of workspace, %zu of constants, at most %zu of stack\n", e->workspace, e->constants,
           e->stack);
    printf("  a call      %s %d steps: %.3g operations, %.3g instructions on x86-64\n", e->fixed ? "always" : "at most",
           e->steps, e->operations, e->instructions);
    if (probe->samples == 0)
        return;
    printf("  measured    %zu of %zu sampled %s are ok from the %s", probe->ok, probe->samples,
           probe->samples > SAMPLES ? "candidates" : "inputs",
           probe->network ? "network's outputs" : "model's start values");
    if (single)
        printf(" in double (float adds what rounding may hide to each violation, and fewer may be ok)");
    if (probe->ok > 0)
        printf(", %g %% of these after at most %d steps", 100 * SHARE, probe->steps);
    if (probe->steps > 0 && !e->fixed && probe->steps < e->steps)
        printf(": --iterations %d would do", probe->steps);
    printf("\n");
}
