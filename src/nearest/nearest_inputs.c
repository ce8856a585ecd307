/* nearest_inputs.c - see nearest_inputs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_inputs.h"

#include "base/error.h"
#include "derivatives/derivatives.h"

#include <string.h>

struct parts {
    struct problem problem;
    struct node_matrix rows, bends;
    struct node_list nodes;
};

static hn_status differentiate(struct parts *parts, const hn_model *model, hn_error *error) {
    struct problem *p = &parts->problem;
    hn_status status = problem_create(p, model, error);
    p->objective = 0; /* it has no part in a distance */
    if (status == HN_OK)
        status = derivatives_jacobian(&parts->rows, &p->graph, p->body, p->rows, SPACE_X, p->inputs, error);
    if (status == HN_OK)
        status = derivatives_hessian_block(&parts->bends, p, SPACE_Y, SPACE_X, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, parts->rows.node, parts->rows.count, error);
    return status == HN_OK ? node_list_add(&parts->nodes, parts->bends.node, parts->bends.count, error) : status;
}

static hn_status compile(struct nearest_inputs *r, const struct parts *parts, uint32_t stride, hn_error *error) {
    const struct problem *p = &parts->problem;
    struct program_request request = {
        .stride = stride, .graph = &p->graph, .outputs = parts->nodes.nodes, .output_count = parts->nodes.count};
    request.leaf_count[SPACE_X] = p->inputs;
    request.leaf_count[SPACE_Y] = p->outputs;
    request.leaf_count[SPACE_LAMBDA] = p->rows;
    request.phase[SPACE_Y] = 1;
    request.phase[SPACE_LAMBDA] = 2;
    return program_create(&r->program, &request, error);
}

static bool keep_matrix(struct nearest_inputs *r, struct input_matrix *to, const struct node_matrix *from,
                        size_t begin) {
    to->rows = from->rows;
    to->first = arena_take(&r->arena, from->rows + 1, sizeof *to->first);
    to->column = arena_take(&r->arena, from->count + 1, sizeof *to->column);
    to->entry = program_places(r->program, &r->arena, begin, from->count);
    if (!to->first || !to->column || !to->entry)
        return false;
    memcpy(to->first, from->first, (from->rows + 1) * sizeof *to->first);
    if (from->count)
        memcpy(to->column, from->column, from->count * sizeof *to->column);
    return true;
}

static hn_status keep(struct nearest_inputs *r, const struct parts *parts, uint32_t stride, hn_error *error) {
    r->x = (uint32_t)(r->program->leaf_slot[SPACE_X] * stride);
    r->y = (uint32_t)(r->program->leaf_slot[SPACE_Y] * stride);
    r->lambda = (uint32_t)(r->program->leaf_slot[SPACE_LAMBDA] * stride);
    r->bytes = r->program->slots * stride * sizeof(double);
    bool kept =
        keep_matrix(r, &r->rows, &parts->rows, 0) && keep_matrix(r, &r->bends, &parts->bends, parts->rows.count);
    return kept ? HN_OK : error_no_memory(error, "the nearest point");
}

hn_status nearest_inputs_create(struct nearest_inputs *r, const hn_model *model, uint32_t stride, hn_error *error) {
    struct parts parts = {.nodes = {.count = 0}};
    *r = (struct nearest_inputs){.program = NULL};
    if (hn_model_input_count(model) == 0)
        return HN_OK;
    hn_status status = differentiate(&parts, model, error);
    if (status == HN_OK)
        status = compile(r, &parts, stride, error);
    if (status == HN_OK)
        status = keep(r, &parts, stride, error);
    node_matrix_release(&parts.rows);
    node_matrix_release(&parts.bends);
    node_list_release(&parts.nodes);
    problem_release(&parts.problem);
    if (status != HN_OK)
        nearest_inputs_release(r);
    return status;
}

void nearest_inputs_release(struct nearest_inputs *r) {
    program_destroy(r->program);
    arena_release(&r->arena);
    *r = (struct nearest_inputs){.program = NULL};
}
