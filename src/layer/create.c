/* create.c - from a finished model to a layer: program, map of memory, linear system.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/structs.h"
#include "layer/layer_parts.h"

#include <math.h>

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

/* ---- the map ---- */

static uint32_t take(hn_layer *layer, size_t count) {
    size_t place = layer->slots * LANES;
    layer->slots += count;
    return (uint32_t)place;
}

static void place_rows(hn_layer *layer) {
    struct rows_task *task = &layer->task;
    size_t rows = layer->rows;
    task->rows = rows;
    task->columns = layer->outputs;
    task->relative = layer->options.relative;
    task->weighted = layer->weighted;
    task->first = layer->jacobian.first;
    task->entry = layer->jacobian.place;
    task->residual = take(layer, rows);
    task->summary = take(layer, SUMMARY_COUNT);
    task->eps = take(layer, 1);
    task->hold = take(layer, 1);
    if (!layer->weighted)
        return;
    task->matrix = take(layer, layer->jacobian.first[rows]);
    task->scale = take(layer, rows);
    task->active = take(layer, rows);
    task->right = take(layer, rows);
    task->shift = take(layer, rows);
}

static void place_vectors(hn_layer *layer) {
    size_t rows = layer->rows, outputs = layer->outputs, most = rows > outputs ? rows : outputs;
    layer->best = take(layer, outputs);
    layer->base = layer->weighted ? take(layer, outputs) : layer->y;
    layer->raw = layer->options.method == HN_METHOD_AUTO ? take(layer, outputs) : layer->best;
    layer->unknown = take(layer, most);
    layer->step = take(layer, outputs);
    layer->gradient = take(layer, outputs);
    layer->work = take(layer, most);
    layer->grad_x = take(layer, layer->inputs);
    layer->mask_accept = take(layer, 1);
    layer->mask_improved = take(layer, 1);
    layer->mask_fresh = take(layer, 1);
    layer->mask_last = take(layer, 1);
    layer->mask_clip = take(layer, 1);
    layer->mask_hold = take(layer, 1);
    layer->largest = take(layer, 1);
    layer->step_squares = take(layer, 1);
    layer->step_gain = take(layer, 1);
    layer->right = layer->weighted ? layer->task.right : layer->task.residual;
}

static void place_adjoint(hn_layer *layer) {
    struct adjoint_task *adjoint = &layer->adjoint;
    const struct program *program = layer->program;
    adjoint->pulled = (uint32_t)(program->leaf_slot[SPACE_LAMBDA] * LANES);
    adjoint->leaf_q = (uint32_t)(program->leaf_slot[SPACE_Q] * LANES);
    adjoint->leaf_v = (uint32_t)(program->leaf_slot[SPACE_V] * LANES);
    adjoint->kept = layer->weighted ? take(layer, layer->rows) : adjoint->pulled;
    adjoint->q = layer->weighted ? take(layer, layer->rows) : adjoint->leaf_q;
    adjoint->v = layer->weighted ? take(layer, layer->rows) : adjoint->leaf_v;
    adjoint->damped = take(layer, 1);
    adjoint->grad_lower = take(layer, layer->rows);
    adjoint->grad_upper = take(layer, layer->rows);
    layer->leaf_t = (uint32_t)(program->leaf_slot[SPACE_T] * LANES);
    layer->leaf_s = (uint32_t)(program->leaf_slot[SPACE_S] * LANES);
}

/* Everything but the system's storage, which comes last. Far below what a place can name, so that sums cannot wrap. */
static hn_status draw_map(hn_layer *layer, hn_error *error) {
    const struct program *program = layer->program;
    size_t entries = layer->jacobian.first[layer->rows];
    if (program->slots > UINT32_MAX / LANES / 4 || entries > UINT32_MAX / LANES / 4)
        return error_set(error, HN_LIMIT, "the model is too large for a layer: %zu slots", program->slots);
    layer->slots = program->slots;
    layer->x = (uint32_t)(program->leaf_slot[SPACE_X] * LANES);
    layer->y = (uint32_t)(program->leaf_slot[SPACE_Y] * LANES);
    place_rows(layer);
    place_vectors(layer);
    place_adjoint(layer);
    return HN_OK;
}

/* ---- the system ---- */

/* What is known of J in advance, when A is J. */
static double *known_entries(const hn_layer *layer) {
    size_t count = layer->jacobian.first[layer->rows];
    size_t capacity = 0;
    double *fixed = array_grow(NULL, &capacity, count + 1, sizeof *fixed);
    for (size_t e = 0; fixed && e < count; e++) {
        size_t slot = layer->jacobian.place[e] / LANES;
        fixed[e] = slot < layer->program->constant_count ? layer->program->constants[slot] : NAN;
    }
    return fixed;
}

static hn_status build_system(hn_layer *layer, const uint32_t *places, const double *fixed, hn_error *error) {
    const struct place_matrix *j = &layer->jacobian;
    struct damped_request request = {
        .matrix = {layer->rows, layer->outputs, LANES, j->first, j->column, places, fixed},
        .rows_side_only = layer->options.damping == 0 && layer->options.method != HN_METHOD_AUTO,
        .fixed_shift = layer->weighted ? NAN : layer->options.damping,
        .shift = layer->task.shift,
        .shift_uniform = layer->task.eps,
        .storage = (uint32_t)(layer->slots * LANES),
    };
    hn_status status = damped_create(&layer->system, &request, error);
    layer->slots += layer->system.slots;
    return status;
}

static hn_status create_system(hn_layer *layer, hn_error *error) {
    size_t count = layer->jacobian.first[layer->rows], capacity = 0;
    if (!layer->weighted) {
        double *fixed = known_entries(layer);
        hn_status status =
            fixed ? build_system(layer, layer->jacobian.place, fixed, error) : error_no_memory(error, "the layer");
        base_release(fixed);
        return status;
    }
    uint32_t *places = array_grow(NULL, &capacity, count + 1, sizeof *places);
    for (size_t e = 0; places && e < count; e++)
        places[e] = (uint32_t)(layer->task.matrix + e * LANES);
    hn_status status = places ? build_system(layer, places, NULL, error) : error_no_memory(error, "the layer");
    base_release(places);
    return status;
}

/* ---- life ---- */

static hn_status build(hn_layer *layer, const hn_model *model, const hn_layer_options *options, hn_error *error) {
    hn_status status = layer_options(&layer->options, options, error);
    if (status == HN_OK)
        status = check_model(layer, model, error);
    if (status == HN_OK)
        status = backend_choose(&layer->backend, layer->options.instructions, error);
    if (status != HN_OK)
        return status;
    layer->single = backend_single();
    hn_instructions_find(layer->backend.name, &layer->options.instructions);
    layer->weighted = layer->options.method == HN_METHOD_LM || layer->options.method == HN_METHOD_AUTO;
    layer->adaptive = layer->options.method == HN_METHOD_AUTO || (layer->weighted && layer->options.damping < 0);
    status = layer_compile(layer, model, error);
    tape_plan(layer);
    if (status == HN_OK)
        status = draw_map(layer, error);
    if (status == HN_OK)
        status = create_system(layer, error);
    return status;
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
    *layer = (hn_layer){0};
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
    program_destroy(layer->program);
    damped_release(&layer->system);
    arena_release(&layer->arena);
    base_release(layer);
}

/* ---- looking ---- */

hn_status hn_layer_get_options(const hn_layer *layer, hn_layer_options *out, hn_error *error) {
    const hn_layer_options none = {.size = sizeof none};
    hn_status status = STRUCT_GIVE(hn_layer_options, out, layer ? &layer->options : &none, error);
    return status == HN_OK && !layer ? error_missing(error, "hn_layer_get_options", "layer") : status;
}

static hn_layer_info info_of(const hn_layer *layer) {
    return (hn_layer_info){
        .size = sizeof(hn_layer_info),
        .inputs = layer->inputs,
        .outputs = layer->outputs,
        .rows = layer->rows,
        .jacobian_nonzeros = layer->jacobian.first[layer->rows],
        .factor_order = layer->system.order,
        .factor_nonzeros = layer->system.nonzeros,
        .outputs_side = layer->system.outputs_side,
        .dense = layer->system.kind == FACTOR_DENSE,
        .operators = layer->program->operators[1],
        .multiply_adds = (size_t)layer->system.multiply_adds + layer->jacobian.first[layer->rows],
        .instructions = layer->options.instructions,
    };
}

hn_status hn_layer_get_info(const hn_layer *layer, hn_layer_info *out, hn_error *error) {
    const hn_layer_info own = layer ? info_of(layer) : (hn_layer_info){.size = sizeof own};
    hn_status status = STRUCT_GIVE(hn_layer_info, out, &own, error);
    return status == HN_OK && !layer ? error_missing(error, "hn_layer_get_info", "layer") : status;
}
