/* step_budget.c - the step budget of auto, measured on samples drawn from the model.
 *
 * When a layer with method auto is created it corrects PROBES samples: inputs from their ranges, outputs from the
 * model's start values, a few steps each. If all end ok, K is the largest number of steps of a probe, and a sample ends
 * after BUDGET_FACTOR K steps (times the option `effort`) since its restart from the start values. If a probe fails, an
 * input has no range, or the probes would take too long, the budget is unlimited.
 *
 * The budget depends on the model and the options only, so it is the same on every target.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/error.h"
#include "layer/driver.h"
#include "model/draw_inputs.h"

enum {
    PROBES = 32,
    PROBE_STEPS = SAMPLE_NEAR_STEPS,
    PROBE_SEED = 20261116,
    BUDGET_FACTOR = 7,
};

/* Cost of a step in products and operators; above it the probes would take 50 ms. */
static const double MOST_WORK = 0x1p17;

struct probes {
    hn_report reports[PROBES];
    double *x, *y;
    void *workspace;
};

static bool is_worth_it(const hn_layer *layer, const hn_model *model) {
    const struct plan *plan = layer->plan;
    double work = plan->system.multiply_adds + plan->entries + plan->program.operators[1];
    bool boxed = plan->inputs > 0;
    for (size_t i = 0; i < plan->inputs && boxed; i++) {
        hn_input_info input = hn_model_input(model, i);
        boxed = sample_is_finite(input.lower) && sample_is_finite(input.upper);
    }
    return plan->options.method == HN_METHOD_AUTO && boxed && work <= MOST_WORK;
}

/* *met is false if no valid inputs were found in the range. */
static hn_status draw_probes(const struct probes *probes, const hn_layer *layer, const hn_model *model, bool *met,
                             hn_error *error) {
    struct random random = random_start(PROBE_SEED, 0);
    hn_status status = HN_OK;
    *met = true;
    for (size_t i = 0; i < PROBES && status == HN_OK && *met; i++)
        status = draw_inputs(model, &random, probes->x + i * layer->plan->inputs, met, error);
    return status;
}

/* The largest number of steps of a probe; 0: a probe did not end ok. */
static int most_steps(const struct probes *probes) {
    int most = 1;
    for (size_t i = 0; i < PROBES; i++) {
        if (probes->reports[i].outcome != HN_OUTCOME_OK)
            return 0;
        if (probes->reports[i].iterations > most)
            most = probes->reports[i].iterations;
    }
    return most;
}

static hn_status run_probes(struct probes *probes, hn_layer *layer, hn_error *error) {
    struct sample_options *o = &layer->plan->options;
    int32_t iterations = o->iterations;
    const hn_batch batch = {.size = sizeof batch,
                            .count = PROBES,
                            .x = probes->x,
                            .y = probes->y,
                            .report_size = sizeof(hn_report),
                            .reports = probes->reports};
    o->iterations = layer->options.iterations < PROBE_STEPS ? layer->options.iterations : PROBE_STEPS;
    hn_status status = hn_layer_run(layer, &batch, probes->workspace, hn_layer_workspace_bytes(layer), error);
    o->iterations = iterations;
    return status;
}

hn_status layer_probe(hn_layer *layer, const hn_model *model, hn_error *error) {
    struct sample_options *o = &layer->plan->options;
    struct probes probes;
    struct arena arena = {0};
    bool met = false;
    if (!is_worth_it(layer, model))
        return HN_OK;
    probes.x = arena_take(&arena, PROBES * (size_t)layer->plan->inputs, sizeof *probes.x);
    probes.y = arena_take(&arena, PROBES * (size_t)layer->plan->outputs, sizeof *probes.y);
    probes.workspace = arena_take(&arena, hn_layer_workspace_bytes(layer), 1);
    hn_status status = probes.x && probes.y && probes.workspace ? draw_probes(&probes, layer, model, &met, error)
                                                                : error_no_memory(error, "the layer");
    if (status == HN_OK && met)
        status = run_probes(&probes, layer, error);
    if (status == HN_OK && met) {
        o->usual = BUDGET_FACTOR * most_steps(&probes);
        o->budget = (int32_t)ceil(layer->options.effort * o->usual);
    }
    arena_release(&arena);
    return status;
}
