/* layer_create.c - from a finished model to a layer: options, plan, executors.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/structs.h"
#include "layer/driver.h"

#include <stdio.h>

static hn_status check_model(const hn_layer *layer, const hn_model *model, hn_error *error) {
    hn_status status = hn_model_status(model, error);
    if (status != HN_OK)
        return status;
    if (layer->options.method == HN_METHOD_HARDNET && hn_model_row_count(model) > hn_model_output_count(model))
        return error_about(
            error, HN_INVALID, error_option("method"),
            "method hardnet: the model has %zu rows and %zu outputs; it needs at least as many outputs as rows",
            hn_model_row_count(model), hn_model_output_count(model));
    return HN_OK;
}

static hn_status open_executors(hn_layer *layer, hn_error *error) {
    hn_status status = executor_open_lanes(&layer->lanes, layer->plan, layer->options.instructions, error);
    if (status == HN_OK)
        status = executor_open_single(&layer->single, layer->plan, error);
    if (status == HN_OK)
        hn_instructions_find(layer->lanes.name, &layer->options.instructions);
    return status;
}

/* Before a thread's memory is taken, and written all over. */
static hn_status check_memory(const hn_layer *layer, hn_error *error) {
    const struct plan *plan = layer->plan;
    char what[160];
    snprintf(what, sizeof what, "the layer: %u outputs under %u rows with %u derivatives: a thread", plan->outputs,
             plan->rows, plan->entries);
    return machine_has((double)plan->bytes + (double)hn_layer_workspace_bytes(layer), what, error);
}

static hn_status build(hn_layer *layer, const hn_model *model, const hn_layer_options *options, hn_error *error) {
    hn_status status = layer_options(&layer->options, options, error);
    if (status == HN_OK)
        status = check_model(layer, model, error);
    if (status == HN_OK)
        status = executor_check(layer->options.instructions, error);
    if (status == HN_OK)
        status = plan_create(&layer->plan, model, &layer->options, error);
    if (status == HN_OK)
        status = open_executors(layer, error);
    return status == HN_OK ? check_memory(layer, error) : status;
}

hn_status hn_layer_create(hn_layer **out, const hn_model *model, const hn_layer_options *options, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_layer_create", "out");
    *out = NULL;
    if (!model)
        return error_missing(error, "hn_layer_create", "model");
    hn_layer *layer = base_allocate(sizeof *layer);
    if (!layer)
        return error_no_memory(error, "the layer");
    *layer = (hn_layer){.plan = NULL};
    hn_status status = build(layer, model, options, error);
    if (status != HN_OK) {
        hn_layer_destroy(layer);
        return status;
    }
    *out = layer;
    return HN_OK;
}

void hn_layer_destroy(hn_layer *layer) {
    if (!layer)
        return;
    executor_close(&layer->lanes);
    executor_close(&layer->single);
    plan_destroy(layer->plan);
    base_release(layer);
}

/* ---- looking ---- */

hn_status hn_layer_get_options(const hn_layer *layer, hn_layer_options *out, hn_error *error) {
    const hn_layer_options none = {.size = sizeof none};
    hn_status status = STRUCT_GIVE(hn_layer_options, out, layer ? &layer->options : &none, error);
    return status == HN_OK && !layer ? error_missing(error, "hn_layer_get_options", "layer") : status;
}

static hn_layer_info info_of(const hn_layer *layer) {
    const struct plan *plan = layer->plan;
    return (hn_layer_info){
        .size = sizeof(hn_layer_info),
        .inputs = plan->inputs,
        .outputs = plan->outputs,
        .rows = plan->rows,
        .jacobian_nonzeros = plan->entries,
        .factor_order = plan->system.order,
        .factor_nonzeros = plan->system.nonzeros,
        .outputs_side = plan->options.outputs_side,
        .dense = plan->system.kind == FACTOR_DENSE || plan->system.kind == FACTOR_TILED,
        .operators = plan->program.operators[1],
        .multiply_adds = (size_t)plan->system.multiply_adds + plan->entries,
        .instructions = layer->options.instructions,
        .factor_added = plan->system.added,
    };
}

hn_status hn_layer_get_info(const hn_layer *layer, hn_layer_info *out, hn_error *error) {
    const hn_layer_info own = layer ? info_of(layer) : (hn_layer_info){.size = sizeof own};
    hn_status status = STRUCT_GIVE(hn_layer_info, out, &own, error);
    return status == HN_OK && !layer ? error_missing(error, "hn_layer_get_info", "layer") : status;
}
