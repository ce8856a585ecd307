/* refine_plan.c - see refine_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "refinement/refine_plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "derivatives/derivatives.h"

#include <math.h>
#include <string.h>

struct parts {
    struct problem problem;
    struct node_matrix jacobian, gradient, hessian; /* of c; of f; of the Lagrangian, its lower triangle */
    struct node_list nodes;
};

/* ---- building ---- */

static hn_status differentiate(struct parts *parts, const hn_model *model, hn_error *error) {
    struct problem *p = &parts->problem;
    hn_status status = problem_create(p, model, error);
    if (status == HN_OK && p->objective == 0)
        status = error_about(error, HN_INVALID, error_argument("model"),
                             "the model has no objective: there is nothing to refine for");
    if (status == HN_OK)
        status = derivatives_jacobian(&parts->jacobian, &p->graph, p->body, p->rows, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&parts->gradient, &p->graph, &p->objective, 1, SPACE_Y, p->outputs, error);
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
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, parts->gradient.node, parts->gradient.count, error);
    for (size_t i = 0; i < p->outputs && status == HN_OK; i++)
        for (size_t e = parts->hessian.first[i]; e < parts->hessian.first[i + 1] && status == HN_OK; e++)
            if (parts->hessian.column[e] == i)
                status = node_list_add(&parts->nodes, &parts->hessian.node[e], 1, error);
    return status;
}

static hn_status compile(struct refine_plan *r, const struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    struct program_request request = {
        .stride = r->stride, .graph = &p->graph, .outputs = parts->nodes.nodes, .output_count = parts->nodes.count};
    request.leaf_count[SPACE_X] = r->inputs = p->inputs;
    request.leaf_count[SPACE_Y] = r->outputs = p->outputs;
    r->rows = p->rows;
    r->entries = parts->jacobian.count;
    request.leaf_count[SPACE_SIGMA] = 1;
    request.leaf_count[SPACE_LAMBDA] = p->rows;
    request.phase[SPACE_Y] = 1;
    request.phase[SPACE_SIGMA] = request.phase[SPACE_LAMBDA] = 2;
    return program_create(&r->program, &request, error);
}

/* Offsets of gradient and curvature by column; the constant 0 of an entry that is not there lies behind the program's slots. */
static bool keep_objective(struct refine_plan *r, const struct parts *parts, size_t begin) {
    uint32_t zero = (uint32_t)(r->program->slots * r->stride);
    size_t next = begin + parts->gradient.count;
    r->gradient = arena_take(&r->arena, r->outputs + 1, sizeof *r->gradient);
    r->curvature = arena_take(&r->arena, r->outputs + 1, sizeof *r->curvature);
    if (!r->gradient || !r->curvature)
        return false;
    for (size_t j = 0; j < r->outputs; j++)
        r->gradient[j] = r->curvature[j] = zero;
    for (size_t i = 0; i < parts->gradient.count; i++)
        r->gradient[parts->gradient.column[i]] = r->program->output_slot[begin + i] * r->stride;
    for (size_t i = 0; i < r->outputs; i++)
        for (size_t e = parts->hessian.first[i]; e < parts->hessian.first[i + 1]; e++)
            if (parts->hessian.column[e] == i)
                r->curvature[i] = r->program->output_slot[next++] * r->stride;
    return true;
}

static bool keep(struct refine_plan *r, const struct parts *parts) {
    const struct problem *p = &parts->problem;
    size_t rows = r->rows;
    r->x = (uint32_t)(r->program->leaf_slot[SPACE_X] * r->stride);
    r->y = (uint32_t)(r->program->leaf_slot[SPACE_Y] * r->stride);
    r->sigma = (uint32_t)(r->program->leaf_slot[SPACE_SIGMA] * r->stride);
    r->lambda = (uint32_t)(r->program->leaf_slot[SPACE_LAMBDA] * r->stride);
    r->value = program_places(r->program, &r->arena, 0, rows);
    r->lower = program_places(r->program, &r->arena, rows, rows);
    r->upper = program_places(r->program, &r->arena, 2 * rows, rows);
    r->entry = program_places(r->program, &r->arena, 3 * rows, r->entries);
    r->first = arena_take(&r->arena, rows + 1, sizeof *r->first);
    r->column = arena_take(&r->arena, r->entries + 1, sizeof *r->column);
    r->fixed = arena_take(&r->arena, r->outputs + 1, sizeof *r->fixed);
    if (!r->value || !r->lower || !r->upper || !r->entry || !r->first || !r->column || !r->fixed)
        return false;
    memcpy(r->first, parts->jacobian.first, (rows + 1) * sizeof *r->first);
    if (r->entries)
        memcpy(r->column, parts->jacobian.column, r->entries * sizeof *r->column);
    for (size_t j = 0; j < r->outputs; j++)
        r->fixed[j] = p->fixed[j] != 0;
    return keep_objective(r, parts, 3 * rows + r->entries);
}

static uint32_t take(struct refine_plan *r, size_t count) {
    size_t offset = r->slots * r->stride;
    r->slots += count;
    return (uint32_t)offset;
}

static struct barrier_task task_of(struct refine_plan *r) {
    r->slots = r->program->slots + 1; /* the zero of keep_objective */
    return (struct barrier_task){.rows = r->rows,
                                 .columns = r->outputs,
                                 .value = r->value,
                                 .lower = r->lower,
                                 .upper = r->upper,
                                 .first = r->first,
                                 .column = r->column,
                                 .entry = r->entry,
                                 .gradient = r->gradient,
                                 .matrix = take(r, r->entries),
                                 .shift = take(r, r->rows),
                                 .by_rows = take(r, BARRIER_ROWS * r->rows),
                                 .by_columns = take(r, BARRIER_COLUMNS * r->outputs),
                                 .summary = take(r, BARRIER_SUMMARY)};
}

static hn_status create_system(struct refine_plan *r, hn_error *error) {
    size_t capacity = 0;
    r->task = task_of(r);
    r->own = take(r, r->outputs);
    uint32_t *offsets = array_grow(NULL, &capacity, r->entries + 1, sizeof *offsets);
    bool *equality = arena_take(&r->arena, r->rows + 1, sizeof *equality);
    if (!offsets || !equality) {
        base_release(offsets);
        return error_no_memory(error, "refinement");
    }
    for (size_t e = 0; e < r->entries; e++)
        offsets[e] = (uint32_t)(r->task.matrix + e * r->stride);
    for (size_t i = 0; i < r->rows; i++)
        equality[i] = r->lower[i] == r->upper[i];
    const struct damped_request request = {
        .matrix = {r->rows, r->outputs, r->stride, r->first, r->column, offsets, NULL},
        .rows_side_only = true,
        .fixed_shift = NAN,
        .shift = r->task.shift,
        .storage = (uint32_t)(r->slots * r->stride),
        .may_border = true,
        .undamped = equality,
    };
    hn_status status = damped_create(&r->system, &request, error);
    base_release(offsets);
    r->slots += r->system.slots;
    r->bytes = r->slots * r->stride * sizeof(double);
    return status;
}

hn_status refine_plan_create(struct refine_plan *r, const hn_model *model, uint32_t stride, hn_error *error) {
    struct parts parts = {.nodes = {.count = 0}};
    *r = (struct refine_plan){.stride = stride};
    hn_status status = differentiate(&parts, model, error);
    if (status == HN_OK)
        status = collect_all(&parts, error);
    if (status == HN_OK)
        status = compile(r, &parts, error);
    if (status == HN_OK && !keep(r, &parts))
        status = error_no_memory(error, "refinement");
    if (status == HN_OK)
        status = create_system(r, error);
    node_matrix_release(&parts.jacobian);
    node_matrix_release(&parts.gradient);
    node_matrix_release(&parts.hessian);
    node_list_release(&parts.nodes);
    problem_release(&parts.problem);
    if (status != HN_OK)
        refine_plan_release(r);
    return status;
}

void refine_plan_release(struct refine_plan *r) {
    program_destroy(r->program);
    damped_release(&r->system);
    arena_release(&r->arena);
    *r = (struct refine_plan){.inputs = 0};
}

void refine_plan_prepare(const struct refine_plan *r, double *memory) {
    memset(memory, 0, r->bytes);
    program_prepare(r->program, memory);
    for (size_t i = 0; i < r->system.constant_count; i++)
        for (size_t lane = 0; lane < r->stride; lane++)
            memory[r->system.constants[i].offset + lane] = r->system.constants[i].value;
}
