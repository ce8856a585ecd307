/* layer_create.c - makes a layer from a finished model: options, plan, executors.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/structs.h"
#include "cpu/backend.h"
#include "hardnet/inspect.h"
#include "layer/driver.h"
#include "layer/layer_plan.h"
#include "model/parts.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static hn_status check_model(const hn_layer *layer, const hn_model *model, hn_error *error) {
    hn_status status = hn_model_status(model, error);
    if (status != HN_OK)
        return status;
    if (layer->options.method == HN_METHOD_HARDNET && hn_model_row_count(model) > hn_model_output_count(model))
        return error_about(
            error, HN_INVALID, error_option("method"),
            "method hardnet: the model has %zu rows and %zu outputs; it needs at least as many outputs as rows",
            hn_model_row_count(model), hn_model_output_count(model));
    if (method_searches(layer->options.method))
        status = model_without_blocks(model, "methods nearest and optimal do", error);
    if (status != HN_OK)
        return status;
    if (layer->options.method == HN_METHOD_OPTIMAL && !hn_model_objective(model).name)
        return error_about(error, HN_INVALID, error_option("method"),
                           "method optimal: the model has no objective; nearest needs none");
    return HN_OK;
}

/* Resolves `best` to an instruction set. */
static hn_status choose_instructions(hn_layer *layer, hn_error *error) {
    struct backend chosen;
    hn_status status = backend_choose(&chosen, layer->options.instructions, error);
    if (status == HN_OK)
        hn_instructions_find(chosen.name, &layer->options.instructions);
    return status;
}

hn_status layer_plan(hn_layer *layer, const hn_model *model, const hn_layer_options *options, hn_error *error) {
    hn_status status = layer_options(&layer->options, options, error);
    if (status == HN_OK)
        status = check_model(layer, model, error);
    if (status == HN_OK)
        status = choose_instructions(layer, error);
    layer->steps = layer->options;
    if (method_searches(layer->options.method)) /* the search starts from auto's result */
        layer->steps.method = HN_METHOD_AUTO;
    return status == HN_OK ? plan_create(&layer->plan, model, &layer->steps, error) : status;
}

/* Copies the caller's weights. */
static hn_status keep_weights(hn_layer *layer, hn_error *error) {
    size_t outputs = layer->plan->outputs, capacity = 0;
    const double *given = layer->options.weights;
    layer->options.weights = NULL;
    if (!given)
        return HN_OK;
    for (size_t j = 0; j < outputs; j++)
        if (!(given[j] >= 0 && given[j] * given[j] <= DBL_MAX))
            return error_about(error, HN_INVALID, error_option("weights"),
                               "weights: entry %zu is %s; it must be finite and not negative", j,
                               error_number(given[j]).text);
    layer->weights = array_grow(NULL, &capacity, outputs + 1, sizeof *layer->weights);
    if (!layer->weights)
        return error_no_memory(error, "the layer");
    memcpy(layer->weights, given, outputs * sizeof *layer->weights);
    layer->options.weights = layer->weights;
    return HN_OK;
}

/* The search with kinks split. */
static hn_status open_split(hn_layer *layer, const hn_model *model, struct nearest_goal goal, hn_error *error) {
    hn_instructions set = layer->options.instructions;
    goal.split = true;
    goal.by_products = false;
    hn_status status = nearest_create_split(&layer->split[0], model, &goal, set, false, error);
    goal.by_products = layer->split[0].parts.products.program != NULL;
    if (status == HN_OK && layer->split[0].parts.plan.program)
        status = nearest_create_split(&layer->split[1], model, &goal, set, true, error);
    return status;
}

static hn_status open_nearest(hn_layer *layer, const hn_model *model, hn_error *error) {
    if (!method_searches(layer->options.method))
        return HN_OK;
    layer->plan->tape_numbers = layer->plan->rows + 1;
    hn_status status = keep_weights(layer, error);
    layer->maximizes = hn_model_objective(model).maximize;
    struct nearest_goal goal = {.optimal = layer->options.method == HN_METHOD_OPTIMAL,
                                .weights = layer->weights,
                                .tolerance = layer->options.tolerance,
                                .relative = layer->options.relative};
    for (int single = 0; single < 2 && status == HN_OK; single++) {
        status = nearest_create(&layer->near[single], model, &goal, layer->options.instructions, single == 1, error);
        goal.by_products = layer->near[0].parts.products.program != NULL;
    }
    if (status == HN_OK && goal.optimal)
        status = open_split(layer, model, goal, error);
    return status == HN_OK ? affine_create(&layer->affine, &layer->near[1].parts.plan, model, error) : status;
}

/* Copies the path of the kernel and loads it. */
static hn_status load_kernel(hn_layer *layer, const hn_model *model, hn_error *error) {
    const char *path = layer->options.kernel;
    char fingerprint[HN_FINGERPRINT_BYTES];
    const struct kernel_subject subject = {.plan = layer->plan, .options = &layer->steps, .model = fingerprint};
    size_t bytes = strlen(path) + 1;
    layer->kernel = base_allocate(bytes);
    if (!layer->kernel)
        return error_no_memory(error, "the layer");
    memcpy(layer->kernel, path, bytes);
    layer->options.kernel = layer->kernel;
    hn_status status = hn_model_fingerprint(model, fingerprint, error);
    return status == HN_OK ? kernel_load(&layer->loaded, layer->kernel, &subject, error) : status;
}

static hn_status open_executors(hn_layer *layer, hn_error *error) {
    hn_status status = layer->loaded
                           ? executor_open_kernel(&layer->lanes, layer->plan, layer->loaded, error)
                           : executor_open_lanes(&layer->lanes, layer->plan, layer->options.instructions, error);
    if (status == HN_OK && layer->lanes.width > 1)
        status = executor_open_single(&layer->single, layer->plan, error);
    if (status == HN_OK)
        hn_instructions_find(layer->lanes.name, &layer->options.instructions);
    return status;
}

/* Checks the size of a thread's memory before it is allocated and filled. */
static hn_status check_memory(const hn_layer *layer, hn_error *error) {
    const struct plan *plan = layer->plan;
    char what[160];
    snprintf(what, sizeof what, "the layer: %u outputs under %u rows with %u derivatives: a thread", plan->outputs,
             plan->rows, plan->entries);
    return machine_has((double)plan->bytes + (double)hn_layer_workspace_bytes(layer), what, error);
}

static hn_status build_layer(hn_layer *layer, const hn_model *model, const hn_layer_options *options, hn_error *error) {
    hn_status status = layer_plan(layer, model, options, error);
    if (status == HN_OK && layer->options.kernel)
        status = load_kernel(layer, model, error);
    if (status == HN_OK)
        status = open_executors(layer, error);
    if (status == HN_OK)
        status = open_nearest(layer, model, error);
    if (status == HN_OK)
        status = check_memory(layer, error);
    return status == HN_OK ? layer_probe(layer, model, error) : status;
}

hn_status hn_layer_create(hn_layer **out, const hn_model *model, const hn_layer_options *options, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_layer_create", "out");
    *out = NULL;
    if (!model)
        return error_missing(error, "hn_layer_create", "model");
    if (arithmetic_check(error) != HN_OK)
        return HN_UNSUPPORTED;
    hn_layer *layer = base_allocate(sizeof *layer);
    if (!layer)
        return error_no_memory(error, "the layer");
    *layer = (hn_layer){.plan = NULL};
    hn_status status = build_layer(layer, model, options, error);
    if (status == HN_OK)
        *out = layer;
    else
        hn_layer_destroy(layer);
    return status;
}

void layer_release(hn_layer *layer) {
    executor_close(&layer->lanes);
    executor_close(&layer->single);
    kernel_close(layer->loaded);
    for (int single = 0; single < 2; single++) {
        nearest_release(&layer->near[single]);
        nearest_release(&layer->split[single]);
    }
    affine_release(&layer->affine);
    plan_destroy(layer->plan);
    base_release(layer->weights);
    base_release(layer->kernel);
}

void hn_layer_destroy(hn_layer *layer) {
    if (!layer)
        return;
    layer_release(layer);
    base_release(layer);
}

hn_status layer_plan_create(struct plan **plan, hn_layer_options *filled, const hn_model *model,
                            const hn_layer_options *options, hn_error *error) {
    hn_layer *layer;
    *plan = NULL;
    hn_status status = hn_layer_create(&layer, model, options, error);
    if (status != HN_OK)
        return status;
    *plan = layer->plan;
    layer->plan = NULL;
    *filled = layer->options;
    filled->kernel = NULL;
    filled->weights = layer->weights ? options->weights : NULL;
    hn_layer_destroy(layer);
    return HN_OK;
}

/* ---- inspection ---- */

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
        .usual_steps = plan->options.usual,
        .budget_steps = plan->options.budget,
        .instructions = layer->options.instructions,
        .factor_added = plan->system.added,
        .compiled = layer->loaded != NULL,
        .compiled_gradients = layer->loaded && kernel_has_adjoint(layer->loaded),
    };
}

hn_status hn_layer_get_info(const hn_layer *layer, hn_layer_info *out, hn_error *error) {
    const hn_layer_info own = layer ? info_of(layer) : (hn_layer_info){.size = sizeof own};
    hn_status status = STRUCT_GIVE(hn_layer_info, out, &own, error);
    return status == HN_OK && !layer ? error_missing(error, "hn_layer_get_info", "layer") : status;
}
