/* nearest_plan.c - see nearest_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "derivatives/derivatives.h"

#include <string.h>

struct parts {
    struct problem problem;
    struct node_matrix jacobian, hessian; /* of c; of sum_i lambda_i c_i, its lower triangle */
    struct node_list nodes;
};

/* ---- the program ---- */

/* The model's objective has no part in a distance. */
static hn_status differentiate(struct parts *parts, const hn_model *model, hn_error *error) {
    struct problem *p = &parts->problem;
    hn_status status = problem_create(p, model, error);
    p->objective = 0;
    if (status == HN_OK)
        status = derivatives_jacobian(&parts->jacobian, &p->graph, p->body, p->rows, SPACE_Y, p->outputs, error);
    return status == HN_OK ? derivatives_hessian(&parts->hessian, p, error) : status;
}

static hn_status collect_all(struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    hn_status status = node_list_add(&parts->nodes, p->body, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->lower, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->upper, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, parts->jacobian.node, parts->jacobian.count, error);
    return status == HN_OK ? node_list_add(&parts->nodes, parts->hessian.node, parts->hessian.count, error) : status;
}

static hn_status compile(struct nearest_plan *r, const struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    struct program_request request = {
        .stride = r->stride, .graph = &p->graph, .outputs = parts->nodes.nodes, .output_count = parts->nodes.count};
    request.leaf_count[SPACE_X] = r->inputs = p->inputs;
    request.leaf_count[SPACE_Y] = r->outputs = p->outputs;
    r->rows = p->rows;
    r->entries = parts->jacobian.count;
    r->curvatures = parts->hessian.count;
    request.leaf_count[SPACE_LAMBDA] = p->rows;
    request.phase[SPACE_Y] = 1;
    request.phase[SPACE_LAMBDA] = 2;
    return program_create(&r->program, &request, error);
}

/* ---- where everything lies ---- */

static bool keep_columns(struct nearest_plan *r, const struct parts *parts, const double *weights) {
    uint32_t zero = (uint32_t)(r->program->slots * r->stride); /* behind the program's own */
    size_t begin = 3 * r->rows + r->entries;
    r->curvature = arena_take(&r->arena, r->outputs + 1, sizeof *r->curvature);
    r->square = arena_take(&r->arena, r->outputs + 1, sizeof *r->square);
    r->fixed = arena_take(&r->arena, r->outputs + 1, sizeof *r->fixed);
    r->bend = arena_take(&r->arena, r->curvatures + 1, sizeof *r->bend);
    if (!r->curvature || !r->square || !r->fixed || !r->bend)
        return false;
    for (size_t j = 0; j < r->outputs; j++) {
        r->curvature[j] = zero;
        r->fixed[j] = parts->problem.fixed[j] != 0;
        r->square[j] = weights ? weights[j] * weights[j] : 1;
        r->largest_square = r->square[j] > r->largest_square ? r->square[j] : r->largest_square;
        for (size_t e = parts->hessian.first[j]; e < parts->hessian.first[j + 1]; e++) {
            uint32_t column = parts->hessian.column[e], offset = r->program->output_slot[begin + e] * r->stride;
            r->bend[e] = (struct signed_entry){(uint32_t)j, column, offset};
            if (column == j)
                r->curvature[j] = offset;
        }
    }
    return true;
}

static bool keep(struct nearest_plan *r, const struct parts *parts, const double *weights) {
    size_t rows = r->rows;
    r->x = (uint32_t)(r->program->leaf_slot[SPACE_X] * r->stride);
    r->y = (uint32_t)(r->program->leaf_slot[SPACE_Y] * r->stride);
    r->lambda = (uint32_t)(r->program->leaf_slot[SPACE_LAMBDA] * r->stride);
    r->value = program_places(r->program, &r->arena, 0, rows);
    r->lower = program_places(r->program, &r->arena, rows, rows);
    r->upper = program_places(r->program, &r->arena, 2 * rows, rows);
    r->entry = program_places(r->program, &r->arena, 3 * rows, r->entries);
    r->first = arena_take(&r->arena, rows + 1, sizeof *r->first);
    r->column = arena_take(&r->arena, r->entries + 1, sizeof *r->column);
    if (!r->value || !r->lower || !r->upper || !r->entry || !r->first || !r->column)
        return false;
    memcpy(r->first, parts->jacobian.first, (rows + 1) * sizeof *r->first);
    if (r->entries)
        memcpy(r->column, parts->jacobian.column, r->entries * sizeof *r->column);
    return keep_columns(r, parts, weights);
}

static uint32_t take(struct nearest_plan *r, size_t count) {
    size_t offset = r->slots * r->stride;
    r->slots += count;
    return (uint32_t)offset;
}

/* ---- the system ---- */

/* Entries off the diagonal: the Hessian's, then J; not those of fixed outputs. */
static size_t list_entries(const struct nearest_plan *r, struct signed_entry *list) {
    size_t count = 0;
    for (size_t e = 0; e < r->curvatures; e++)
        if (r->bend[e].row != r->bend[e].column && !r->fixed[r->bend[e].row] && !r->fixed[r->bend[e].column])
            list[count++] = r->bend[e];
    for (size_t i = 0; i < r->rows; i++)
        for (size_t e = r->first[i]; e < r->first[i + 1]; e++)
            if (!r->fixed[r->column[e]])
                list[count++] = (struct signed_entry){(uint32_t)(r->outputs + i), r->column[e],
                                                      (uint32_t)(r->matrix + e * r->stride)};
    return count;
}

static hn_status create_system(struct nearest_plan *r, hn_error *error) {
    size_t capacity = 0, unknowns = r->outputs + r->rows;
    r->slots = r->program->slots + 1; /* the zero of keep_columns */
    r->by_rows = take(r, ROW_VECTORS * r->rows);
    r->by_columns = take(r, COLUMN_VECTORS * r->outputs);
    r->by_unknowns = take(r, UNKNOWN_VECTORS * unknowns);
    r->matrix = take(r, r->entries);
    struct signed_entry *list = array_grow(NULL, &capacity, r->entries + r->curvatures + 1, sizeof *list);
    if (!list)
        return error_no_memory(error, "the nearest point");
    const struct signed_request request = {.order = unknowns,
                                           .entries = list_entries(r, list),
                                           .entry = list,
                                           .stride = r->stride,
                                           .diagonal = r->by_unknowns,
                                           .storage = (uint32_t)(r->slots * r->stride)};
    hn_status status = signed_create(&r->system, &request, error);
    base_release(list);
    r->slots += r->system.slots;
    r->bytes = r->slots * r->stride * sizeof(double);
    return status;
}

hn_status nearest_plan_create(struct nearest_plan *r, const hn_model *model, const double *weights, uint32_t stride,
                              hn_error *error) {
    struct parts parts = {.nodes = {.count = 0}};
    *r = (struct nearest_plan){.stride = stride};
    hn_status status = differentiate(&parts, model, error);
    if (status == HN_OK)
        status = collect_all(&parts, error);
    if (status == HN_OK)
        status = compile(r, &parts, error);
    if (status == HN_OK && !keep(r, &parts, weights))
        status = error_no_memory(error, "the nearest point");
    if (status == HN_OK)
        status = create_system(r, error);
    node_matrix_release(&parts.jacobian);
    node_matrix_release(&parts.hessian);
    node_list_release(&parts.nodes);
    problem_release(&parts.problem);
    if (status != HN_OK)
        nearest_plan_release(r);
    return status;
}

void nearest_plan_release(struct nearest_plan *r) {
    program_destroy(r->program);
    signed_release(&r->system);
    arena_release(&r->arena);
    *r = (struct nearest_plan){.inputs = 0};
}

void nearest_plan_prepare(const struct nearest_plan *r, double *memory) {
    memset(memory, 0, r->bytes);
    program_prepare(r->program, memory);
}
