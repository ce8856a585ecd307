/* baseline_program.c - see baseline_program.h.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/baseline_program.h"

#include "base/error.h"
#include "base/memory.h"
#include "derivatives/derivatives.h"

#include <string.h>

/* The outputs of the program, in this order: c, bl, bu, J, starts, fixed values, the bracket. */
struct parts {
    struct problem problem;
    struct node_matrix jacobian, bracket;
    struct node_list nodes;
};

static hn_status differentiate(struct parts *parts, const hn_model *model, hn_error *error) {
    struct problem *p = &parts->problem;
    uint32_t *weights = NULL;
    hn_status status = problem_create(p, model, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&parts->jacobian, &p->graph, p->body, p->rows, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_weights(&weights, &p->graph, &parts->jacobian, true, false, error);
    if (status == HN_OK)
        status =
            derivatives_contract(&parts->bracket, &p->graph, &parts->jacobian, weights, SPACE_Y, p->outputs, error);
    base_release(weights);
    return status;
}

static hn_status collect(struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    hn_status status = node_list_add(&parts->nodes, p->body, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->lower, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->upper, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, parts->jacobian.node, parts->jacobian.count, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->start, p->outputs, error);
    for (size_t j = 0; j < p->outputs && status == HN_OK; j++)
        if (p->fixed[j] != 0)
            status = node_list_add(&parts->nodes, &p->fixed[j], 1, error);
    return status == HN_OK ? node_list_add(&parts->nodes, parts->bracket.node, parts->bracket.count, error) : status;
}

static hn_status compile(struct baseline_program *b, const struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    struct program_request request = {
        .stride = b->stride, .graph = &p->graph, .outputs = parts->nodes.nodes, .output_count = parts->nodes.count};
    request.leaf_count[SPACE_X] = b->inputs = p->inputs;
    request.leaf_count[SPACE_Y] = request.leaf_count[SPACE_T] = b->outputs = p->outputs;
    request.leaf_count[SPACE_V] = b->rows = p->rows;
    request.phase[SPACE_Y] = 1;
    request.phase[SPACE_T] = request.phase[SPACE_V] = 2;
    return program_create(&b->program, &request, error);
}

/* ---- from nodes to offsets ---- */

static bool keep_rows(struct baseline_program *b, const struct problem *p) {
    b->value = program_places(b->program, &b->arena, 0, b->rows);
    b->lower = program_places(b->program, &b->arena, b->rows, b->rows);
    b->upper = program_places(b->program, &b->arena, 2 * b->rows, b->rows);
    b->equality = arena_take(&b->arena, b->rows + 1, sizeof *b->equality);
    if (!b->value || !b->lower || !b->upper || !b->equality)
        return false;
    for (size_t i = 0; i < b->rows; i++)
        b->equality[i] = p->lower[i] == p->upper[i];
    return true;
}

static bool keep_jacobian(struct baseline_program *b, const struct node_matrix *jacobian) {
    b->entries = jacobian->count;
    b->entry = program_places(b->program, &b->arena, 3 * b->rows, b->entries);
    b->first = arena_take(&b->arena, b->rows + 1, sizeof *b->first);
    b->column = arena_take(&b->arena, b->entries + 1, sizeof *b->column);
    if (!b->entry || !b->first || !b->column)
        return false;
    memcpy(b->first, jacobian->first, (b->rows + 1) * sizeof *b->first);
    if (b->entries)
        memcpy(b->column, jacobian->column, b->entries * sizeof *b->column);
    return true;
}

static bool keep_fixed(struct baseline_program *b, const struct problem *p, size_t begin) {
    b->fixed.entry = arena_take(&b->arena, b->outputs + 1, sizeof *b->fixed.entry);
    for (size_t j = 0; b->fixed.entry && j < b->outputs; j++)
        if (p->fixed[j] != 0)
            b->fixed.entry[b->fixed.count++] = (uint32_t)j;
    b->fixed.at = program_places(b->program, &b->arena, begin, b->fixed.count);
    return b->fixed.entry && b->fixed.at;
}

static bool keep_bracket(struct baseline_program *b, const struct node_matrix *bracket, size_t begin) {
    b->bracket.count = bracket->count;
    b->bracket.at = program_places(b->program, &b->arena, begin, bracket->count);
    b->bracket.entry = arena_take(&b->arena, bracket->count + 1, sizeof *b->bracket.entry);
    for (size_t i = 0; b->bracket.entry && i < bracket->count; i++)
        b->bracket.entry[i] = bracket->column[i] * b->stride;
    return b->bracket.at && b->bracket.entry;
}

static bool keep(struct baseline_program *b, const struct parts *parts) {
    const struct program *program = b->program;
    size_t begin = 3 * b->rows + parts->jacobian.count;
    b->x = (uint32_t)program->leaf_slot[SPACE_X] * b->stride;
    b->y = (uint32_t)program->leaf_slot[SPACE_Y] * b->stride;
    b->t = (uint32_t)program->leaf_slot[SPACE_T] * b->stride;
    b->v = (uint32_t)program->leaf_slot[SPACE_V] * b->stride;
    b->start = program_places(program, &b->arena, begin, b->outputs);
    begin += b->outputs;
    return b->start && keep_rows(b, &parts->problem) && keep_jacobian(b, &parts->jacobian) &&
           keep_fixed(b, &parts->problem, begin) && keep_bracket(b, &parts->bracket, begin + b->fixed.count);
}

/* ---- life ---- */

hn_status baseline_program_create(struct baseline_program *b, const hn_model *model, uint32_t stride, hn_error *error) {
    struct parts parts = {.nodes = {.count = 0}};
    *b = (struct baseline_program){.stride = stride};
    hn_status status = differentiate(&parts, model, error);
    if (status == HN_OK)
        status = collect(&parts, error);
    if (status == HN_OK)
        status = compile(b, &parts, error);
    if (status == HN_OK && !keep(b, &parts))
        status = error_no_memory(error, "the baseline");
    node_matrix_release(&parts.jacobian);
    node_matrix_release(&parts.bracket);
    node_list_release(&parts.nodes);
    problem_release(&parts.problem);
    if (status != HN_OK)
        baseline_program_release(b);
    return status;
}

void baseline_program_release(struct baseline_program *b) {
    program_destroy(b->program);
    arena_release(&b->arena);
    *b = (struct baseline_program){.stride = 0};
}
