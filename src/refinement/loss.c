/* loss.c - see loss.h.
 *
 * SPDX-License-Identifier: MIT */
#include "refinement/loss.h"

#include "base/error.h"
#include "base/memory.h"
#include "derivatives/derivatives.h"

#include <string.h>

/* The program's outputs: f, then c, bl, bu, then the entries of both gradients. */
struct parts {
    struct problem problem;
    struct node_matrix gradient, pull;
    struct node_list nodes;
};

static hn_status differentiate(struct parts *parts, const hn_model *model, hn_error *error) {
    struct problem *p = &parts->problem;
    hn_status status = problem_create(p, model, error);
    if (status == HN_OK && p->objective == 0)
        status = error_about(error, HN_INVALID, error_argument("model"),
                             "the model has no objective: there is nothing to lower");
    if (status == HN_OK)
        status = derivatives_jacobian(&parts->gradient, &p->graph, &p->objective, 1, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_pull(&parts->pull, p, SPACE_Y, error);
    return status;
}

static hn_status collect(struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    hn_status status = node_list_add(&parts->nodes, &p->objective, 1, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->body, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->lower, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->upper, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, parts->gradient.node, parts->gradient.count, error);
    return status == HN_OK ? node_list_add(&parts->nodes, parts->pull.node, parts->pull.count, error) : status;
}

static hn_status compile(struct loss *loss, const struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    struct program_request request = {
        .stride = loss->stride, .graph = &p->graph, .outputs = parts->nodes.nodes, .output_count = parts->nodes.count};
    request.leaf_count[SPACE_X] = p->inputs;
    request.leaf_count[SPACE_Y] = p->outputs;
    request.leaf_count[SPACE_LAMBDA] = p->rows;
    request.phase[SPACE_Y] = 1;
    request.phase[SPACE_LAMBDA] = 2;
    return program_create(&loss->program, &request, error);
}

static uint32_t *take_entries(struct loss *loss, const struct node_matrix *matrix) {
    uint32_t *entries = arena_take(&loss->arena, matrix->count + 1, sizeof *entries);
    if (entries && matrix->count)
        memcpy(entries, matrix->column, matrix->count * sizeof *entries);
    return entries;
}

static hn_status keep(struct loss *loss, const struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    size_t rows = loss->rows = p->rows, begin = 1 + 3 * rows;
    loss->inputs = p->inputs;
    loss->outputs = p->outputs;
    loss->x = (uint32_t)(loss->program->leaf_slot[SPACE_X] * loss->stride);
    loss->y = (uint32_t)(loss->program->leaf_slot[SPACE_Y] * loss->stride);
    loss->multiplier = (uint32_t)(loss->program->leaf_slot[SPACE_LAMBDA] * loss->stride);
    loss->objective = loss->program->output_slot[0] * loss->stride;
    loss->value = program_places(loss->program, &loss->arena, 1, rows);
    loss->lower = program_places(loss->program, &loss->arena, 1 + rows, rows);
    loss->upper = program_places(loss->program, &loss->arena, 1 + 2 * rows, rows);
    loss->gradient_count = parts->gradient.count;
    loss->gradient_at = program_places(loss->program, &loss->arena, begin, parts->gradient.count);
    loss->gradient_entry = take_entries(loss, &parts->gradient);
    loss->pull_count = parts->pull.count;
    loss->pull_at = program_places(loss->program, &loss->arena, begin + parts->gradient.count, parts->pull.count);
    loss->pull_entry = take_entries(loss, &parts->pull);
    loss->bytes = loss->program->slots * loss->stride * sizeof(double);
    bool kept = loss->value && loss->lower && loss->upper && loss->gradient_at && loss->gradient_entry &&
                loss->pull_at && loss->pull_entry;
    return kept ? HN_OK : error_no_memory(error, "the loss");
}

hn_status loss_compile(struct loss *loss, const hn_model *model, hn_error *error) {
    struct parts parts = {.nodes = {.count = 0}};
    hn_status status = differentiate(&parts, model, error);
    if (status == HN_OK)
        status = collect(&parts, error);
    if (status == HN_OK)
        status = compile(loss, &parts, error);
    if (status == HN_OK)
        status = keep(loss, &parts, error);
    node_matrix_release(&parts.gradient);
    node_matrix_release(&parts.pull);
    node_list_release(&parts.nodes);
    problem_release(&parts.problem);
    if (status != HN_OK)
        loss_release(loss);
    return status;
}

void loss_release(struct loss *loss) {
    program_destroy(loss->program);
    arena_release(&loss->arena);
    *loss = (struct loss){.inputs = 0};
}
