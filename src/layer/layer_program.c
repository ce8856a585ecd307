/* layer_program.c - everything that a layer evaluates, as one program in three phases.
 *
 *     once per sample   bl, bu, start, fixed values, and their derivatives by x
 *     once per step     c, J = dc/dy
 *     adjoint only      the bracket d/dy and d/dx of v' J t - q' J s, and d/dx of g' c
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "layer/layer_parts.h"

#include <string.h>

/* The outputs of the program while they are collected; parts of the list are named by where they begin. */
struct collector {
    hn_layer *layer;
    struct problem problem;
    struct node_list nodes;
    struct node_matrix jacobian, bracket_y, bracket_x, pull_x, lower_x, upper_x, fixed_x;
    uint32_t *fixed_nodes, *fixed_columns;
    size_t fixed_count;
};

/* ---- derivatives ---- */

static hn_status differentiate_rows(struct collector *all, hn_error *error) {
    struct problem *p = &all->problem;
    struct graph *g = &p->graph;
    uint32_t *weights = NULL;
    hn_status status = derivatives_jacobian(&all->jacobian, g, p->body, p->rows, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_weights(&weights, g, &all->jacobian, true, true, error);
    if (status == HN_OK)
        status = derivatives_contract(&all->bracket_y, g, &all->jacobian, weights, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_contract(&all->bracket_x, g, &all->jacobian, weights, SPACE_X, p->inputs, error);
    base_release(weights);
    return status;
}

static hn_status differentiate_by_inputs(struct collector *all, hn_error *error) {
    struct problem *p = &all->problem;
    struct graph *g = &p->graph;
    hn_status status = derivatives_pull(&all->pull_x, p, SPACE_X, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&all->lower_x, g, p->lower, p->rows, SPACE_X, p->inputs, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&all->upper_x, g, p->upper, p->rows, SPACE_X, p->inputs, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&all->fixed_x, g, all->fixed_nodes, all->fixed_count, SPACE_X, p->inputs, error);
    return status;
}

static hn_status find_fixed(struct collector *all, hn_error *error) {
    const struct problem *p = &all->problem;
    size_t capacity[2] = {0};
    all->fixed_nodes = array_grow(NULL, &capacity[0], p->outputs + 1, sizeof *all->fixed_nodes);
    all->fixed_columns = array_grow(NULL, &capacity[1], p->outputs + 1, sizeof *all->fixed_columns);
    if (!all->fixed_nodes || !all->fixed_columns)
        return error_no_memory(error, "the layer");
    for (size_t j = 0; j < p->outputs; j++)
        if (p->fixed[j] != 0) {
            all->fixed_nodes[all->fixed_count] = p->fixed[j];
            all->fixed_columns[all->fixed_count++] = (uint32_t)j;
        }
    return HN_OK;
}

/* ---- from nodes to places ---- */

static uint32_t *take_places(hn_layer *layer, size_t begin, size_t count) {
    return program_places(layer->program, &layer->arena, begin, count);
}

static bool keep_matrix(hn_layer *layer, struct place_matrix *out, const struct node_matrix *in, size_t *begin) {
    out->rows = in->rows;
    out->first = arena_take(&layer->arena, in->rows + 1, sizeof *out->first);
    out->column = arena_take(&layer->arena, in->count + 1, sizeof *out->column);
    out->place = take_places(layer, *begin, in->count);
    *begin += in->count;
    if (!out->first || !out->column || !out->place)
        return false;
    memcpy(out->first, in->first, (in->rows + 1) * sizeof *out->first);
    if (in->count)
        memcpy(out->column, in->column, in->count * sizeof *out->column);
    return true;
}

static bool keep_list(hn_layer *layer, struct places *out, const uint32_t *columns, size_t count, size_t *begin) {
    out->count = count;
    out->place = take_places(layer, *begin, count);
    out->offset = arena_take(&layer->arena, count + 1, sizeof *out->offset);
    *begin += count;
    for (size_t i = 0; out->offset && i < count; i++)
        out->offset[i] = columns[i] * LANES;
    return out->place && out->offset;
}

/* Rows whose body is an output by itself: bounds, by which fallback values are clipped. */
static bool keep_bound_rows(hn_layer *layer, const struct problem *p) {
    struct places *out = &layer->bound_rows;
    out->place = arena_take(&layer->arena, p->rows + 1, sizeof *out->place);
    out->offset = arena_take(&layer->arena, p->rows + 1, sizeof *out->offset);
    if (!out->place || !out->offset)
        return false;
    for (size_t i = 0; i < p->rows; i++) {
        const struct node *node = &p->graph.nodes[p->body[i]];
        if (node->op != OP_LEAF || node->a != SPACE_Y)
            continue;
        out->place[out->count] = (uint32_t)i;
        out->offset[out->count++] = node->b;
    }
    return true;
}

/* One row per bounded output for clipping, by column: the last, which is where the bounds of variables stand. */
static bool keep_clip(hn_layer *layer) {
    const struct places *bounds = &layer->bound_rows;
    struct clip_task *clip = &layer->clip;
    uint32_t *last = arena_take(&layer->arena, layer->outputs + 1, sizeof *last);
    uint32_t **const lists[] = {&clip->offset, &clip->lower, &clip->upper, &clip->row};
    bool kept = last != NULL;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = arena_take(&layer->arena, bounds->count + 1, sizeof **lists[i]);
        kept = kept && *lists[i];
    }
    for (size_t j = 0; kept && j < layer->outputs; j++)
        last[j] = UINT32_MAX;
    for (size_t b = 0; kept && b < bounds->count; b++)
        last[bounds->offset[b]] = bounds->place[b];
    for (uint32_t j = 0; kept && j < layer->outputs; j++) {
        if (last[j] == UINT32_MAX)
            continue;
        clip->offset[clip->count] = j * LANES;
        clip->lower[clip->count] = layer->task.lower[last[j]];
        clip->upper[clip->count] = layer->task.upper[last[j]];
        clip->row[clip->count++] = last[j] * LANES;
    }
    return kept;
}

static bool keep_joint_rows(hn_layer *layer) {
    const struct place_matrix *j = &layer->jacobian;
    layer->joint = arena_take(&layer->arena, j->rows + 1, sizeof *layer->joint);
    for (size_t i = 0; layer->joint && i < j->rows; i++)
        if (j->first[i + 1] - j->first[i] > 1 && layer->task.lower[i] != layer->task.upper[i])
            layer->joint[layer->joint_count++] = (uint32_t)i;
    return layer->joint != NULL;
}

/* In the order in which collect_all lists them. */
static bool keep_all(hn_layer *layer, const struct collector *all) {
    const struct problem *p = &all->problem;
    struct rows_task *task = &layer->task;
    size_t begin = 3 * p->rows;
    task->value = take_places(layer, 0, p->rows);
    task->lower = take_places(layer, p->rows, p->rows);
    task->upper = take_places(layer, 2 * p->rows, p->rows);
    bool kept =
        task->value && task->lower && task->upper && keep_matrix(layer, &layer->jacobian, &all->jacobian, &begin);
    layer->start = take_places(layer, begin, p->outputs);
    begin += p->outputs;
    kept = kept && layer->start && keep_list(layer, &layer->fixed, all->fixed_columns, all->fixed_count, &begin);
    kept = kept && keep_list(layer, &layer->bracket_y, all->bracket_y.column, all->bracket_y.count, &begin);
    kept = kept && keep_list(layer, &layer->bracket_x, all->bracket_x.column, all->bracket_x.count, &begin);
    kept = kept && keep_list(layer, &layer->pull_x, all->pull_x.column, all->pull_x.count, &begin);
    kept = kept && keep_matrix(layer, &layer->lower_x, &all->lower_x, &begin);
    kept = kept && keep_matrix(layer, &layer->upper_x, &all->upper_x, &begin);
    kept = kept && keep_matrix(layer, &layer->fixed_x, &all->fixed_x, &begin);
    return kept && keep_bound_rows(layer, p) && keep_clip(layer) && keep_joint_rows(layer);
}

static hn_status collect_all(struct collector *all, hn_error *error) {
    const struct problem *p = &all->problem;
    const struct {
        const uint32_t *nodes;
        size_t count;
    } lists[] = {
        {p->body, p->rows},
        {p->lower, p->rows},
        {p->upper, p->rows},
        {all->jacobian.node, all->jacobian.count},
        {p->start, p->outputs},
        {all->fixed_nodes, all->fixed_count},
        {all->bracket_y.node, all->bracket_y.count},
        {all->bracket_x.node, all->bracket_x.count},
        {all->pull_x.node, all->pull_x.count},
        {all->lower_x.node, all->lower_x.count},
        {all->upper_x.node, all->upper_x.count},
        {all->fixed_x.node, all->fixed_x.count},
    };
    hn_status status = HN_OK;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && status == HN_OK; i++)
        status = node_list_add(&all->nodes, lists[i].nodes, lists[i].count, error);
    return status;
}

/* ---- all of it ---- */

static hn_status compile(struct collector *all, hn_error *error) {
    const struct problem *p = &all->problem;
    struct program_request request = {
        .stride = LANES, .graph = &p->graph, .outputs = all->nodes.nodes, .output_count = all->nodes.count};
    for (int space = 0; space < SPACE_COUNT; space++)
        request.phase[space] = 2;
    request.phase[SPACE_X] = 0;
    request.phase[SPACE_Y] = 1;
    request.leaf_count[SPACE_X] = p->inputs;
    request.leaf_count[SPACE_Y] = request.leaf_count[SPACE_T] = request.leaf_count[SPACE_S] = p->outputs;
    request.leaf_count[SPACE_V] = request.leaf_count[SPACE_Q] = request.leaf_count[SPACE_LAMBDA] = p->rows;
    hn_status status = program_create(&all->layer->program, &request, error);
    if (status == HN_OK && !keep_all(all->layer, all))
        status = error_no_memory(error, "the layer");
    return status;
}

static hn_status assemble(struct collector *all, const hn_model *model, hn_error *error) {
    hn_layer *layer = all->layer;
    hn_status status = problem_create(&all->problem, model, error);
    if (status != HN_OK)
        return status;
    layer->inputs = all->problem.inputs;
    layer->outputs = all->problem.outputs;
    layer->rows = all->problem.rows;
    status = find_fixed(all, error);
    if (status == HN_OK)
        status = differentiate_rows(all, error);
    if (status == HN_OK)
        status = differentiate_by_inputs(all, error);
    if (status == HN_OK)
        status = collect_all(all, error);
    if (status == HN_OK)
        status = compile(all, error);
    return status;
}

static void collector_release(struct collector *all) {
    struct node_matrix *const matrices[] = {&all->jacobian, &all->bracket_y, &all->bracket_x, &all->pull_x,
                                            &all->lower_x,  &all->upper_x,   &all->fixed_x};
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
        node_matrix_release(matrices[i]);
    base_release(all->fixed_nodes);
    base_release(all->fixed_columns);
    node_list_release(&all->nodes);
    problem_release(&all->problem);
}

hn_status layer_compile(hn_layer *layer, const hn_model *model, hn_error *error) {
    struct collector all = {.layer = layer};
    hn_status status = assemble(&all, model, error);
    collector_release(&all);
    return status;
}
