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
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "layer/driver.h"
#include "model/draw_inputs.h"

enum {
    PROBES = 32,
    PROBE_STEPS = SAMPLE_NEAR_STEPS,
    PROBE_SEED = 20261116,
    BUDGET_FACTOR = 7,
};

static const double MOST_WORK =
    0x1p17; /* cost of a step in products and operators; above it the probes would take 50 ms */

/* Workspace of the probes, one block. */
struct probes {
    hn_report *reports;
    double *x, *y;
    void *workspace;
    size_t bytes;
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

static bool take_memory(struct probes *out, const hn_layer *layer) {
    size_t row = layer->plan->inputs + (size_t)layer->plan->outputs;
    *out = (struct probes){.bytes = hn_layer_workspace_bytes(layer)};
    size_t each = size_sum(size_product(row, sizeof(double)), sizeof(hn_report));
    out->x = base_allocate(size_sum(size_product(each, PROBES), out->bytes));
    if (!out->x)
        return false;
    out->y = out->x + PROBES * (size_t)layer->plan->inputs;
    out->reports = (hn_report *)(void *)(out->y + PROBES * (size_t)layer->plan->outputs);
    out->workspace = out->reports + PROBES;
    return true;
}

/* *met is false if no valid inputs were found in the range. */
static hn_status step_budget_draw(const struct probes *probes, const hn_layer *layer, const hn_model *model, bool *met,
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

static hn_status step_budget_run(const struct probes *probes, hn_layer *layer, hn_error *error) {
    struct sample_options *o = &layer->plan->options;
    int32_t iterations = o->iterations;
    const hn_batch batch = {.size = sizeof batch,
                            .count = PROBES,
                            .x = probes->x,
                            .y = probes->y,
                            .report_size = sizeof(hn_report),
                            .reports = probes->reports};
    o->iterations = layer->options.iterations < PROBE_STEPS ? layer->options.iterations : PROBE_STEPS;
    hn_status status = hn_layer_run(layer, &batch, probes->workspace, probes->bytes, error);
    o->iterations = iterations;
    return status;
}

hn_status layer_probe(hn_layer *layer, const hn_model *model, hn_error *error) {
    struct probes probes;
    bool met = false;
    if (!is_worth_it(layer, model))
        return HN_OK;
    if (!take_memory(&probes, layer))
        return error_no_memory(error, "the layer");
    hn_status status = step_budget_draw(&probes, layer, model, &met, error);
    if (status == HN_OK && met)
        status = step_budget_run(&probes, layer, error);
    if (status == HN_OK && met) {
        layer->plan->options.usual = BUDGET_FACTOR * most_steps(&probes);
        layer->plan->options.budget = (int32_t)ceil(layer->options.effort * layer->plan->options.usual);
    }
    base_release(probes.x);
    return status;
}
