/* program_spec.c - see program_spec.h.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/program_spec.h"

#include "base/error.h"

#include <string.h>

void recipe_begin(struct recipe *r, const hn_model *model, const char *subject, hn_error *error) {
    *r = (struct recipe){.subject = subject, .error = error};
    r->status = problem_create(&r->problem, model, error);
}

hn_status recipe_end(struct recipe *r) {
    node_list_release(&r->nodes);
    problem_release(&r->problem);
    return r->status;
}

/* ---- derivatives ---- */

static size_t leaf_count(const struct problem *p, enum space space) {
    switch (space) {
    case SPACE_X:
        return p->inputs;
    case SPACE_LAMBDA:
    case SPACE_V:
        return p->rows;
    case SPACE_SIGMA:
        return 1;
    default:
        return p->outputs;
    }
}

void recipe_jacobian(struct recipe *r, struct node_matrix *out, enum space space) {
    struct problem *p = &r->problem;
    if (r->status == HN_OK)
        r->status = derivatives_jacobian(out, &p->graph, p->body, p->rows, space, leaf_count(p, space), r->error);
}

void recipe_gradient(struct recipe *r, struct node_matrix *out, enum space space) {
    struct problem *p = &r->problem;
    if (r->status == HN_OK)
        r->status = derivatives_jacobian(out, &p->graph, &p->objective, 1, space, leaf_count(p, space), r->error);
}

void recipe_hessian(struct recipe *r, struct node_matrix *out, enum space row_space, enum space column_space) {
    if (r->status == HN_OK)
        r->status = derivatives_hessian_block(out, &r->problem, row_space, column_space, r->error);
}

/* ---- requests ---- */

size_t recipe_ask(struct recipe *r, const uint32_t *nodes, size_t count) {
    size_t begin = r->nodes.count;
    if (r->status == HN_OK)
        r->status = node_list_add(&r->nodes, nodes, count, r->error);
    return begin;
}

size_t recipe_ask_matrix(struct recipe *r, const struct node_matrix *matrix) {
    return recipe_ask(r, matrix->node, matrix->count);
}

size_t recipe_ask_rows(struct recipe *r) {
    const struct problem *p = &r->problem;
    size_t begin = recipe_ask(r, p->body, p->rows);
    recipe_ask(r, p->lower, p->rows);
    recipe_ask(r, p->upper, p->rows);
    return begin;
}

struct program *recipe_compile(struct recipe *r, uint32_t stride, const enum space *others, size_t count) {
    static const uint8_t phases[SPACE_COUNT] = {2, 2, 2, 2, 2, 2, 2, 2};
    return recipe_compile_phases(r, stride, others, phases, count);
}

struct program *recipe_compile_phases(struct recipe *r, uint32_t stride, const enum space *others,
                                      const uint8_t *phases, size_t count) {
    const struct problem *p = &r->problem;
    struct program_request request = {
        .stride = stride, .graph = &p->graph, .outputs = r->nodes.nodes, .output_count = r->nodes.count};
    request.leaf_count[SPACE_X] = p->inputs;
    request.leaf_count[SPACE_Y] = p->outputs;
    request.phase[SPACE_Y] = 1;
    for (size_t i = 0; i < count; i++) {
        request.leaf_count[others[i]] = leaf_count(p, others[i]);
        request.phase[others[i]] = phases[i];
    }
    if (r->status == HN_OK)
        r->status = program_create(&r->program, &request, r->error);
    return r->program;
}

/* ---- offsets ---- */

void *recipe_take(struct recipe *r, struct arena *arena, size_t count, size_t size) {
    void *list = r->status == HN_OK ? arena_take(arena, count, size) : NULL;
    if (r->status == HN_OK && !list)
        r->status = error_no_memory(r->error, r->subject);
    return list;
}

uint32_t recipe_leaf(const struct recipe *r, enum space space) {
    return r->program ? (uint32_t)(r->program->leaf_slot[space] * r->program->stride) : 0;
}

uint32_t *recipe_places(struct recipe *r, size_t begin, size_t count, struct arena *arena) {
    uint32_t *list = recipe_take(r, arena, count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        list[i] = r->program->output_slot[begin + i] * r->program->stride;
    return list;
}

void recipe_rows(struct recipe *r, size_t begin, struct arena *arena, struct row_places *to) {
    size_t rows = r->problem.rows;
    to->value = recipe_places(r, begin, rows, arena);
    to->lower = recipe_places(r, begin + rows, rows, arena);
    to->upper = recipe_places(r, begin + 2 * rows, rows, arena);
}

void recipe_matrix(struct recipe *r, const struct node_matrix *matrix, size_t begin, struct arena *arena,
                   struct matrix_places *to) {
    to->rows = matrix->rows;
    to->count = matrix->count;
    to->entry = recipe_places(r, begin, matrix->count, arena);
    to->first = recipe_take(r, arena, matrix->rows + 1, sizeof *to->first);
    to->column = recipe_take(r, arena, matrix->count + 1, sizeof *to->column);
    if (r->status != HN_OK)
        return;
    memcpy(to->first, matrix->first, (matrix->rows + 1) * sizeof *to->first);
    if (matrix->count)
        memcpy(to->column, matrix->column, matrix->count * sizeof *to->column);
}

uint32_t *recipe_vector(struct recipe *r, const struct node_matrix *matrix, size_t begin, uint32_t zero,
                        struct arena *arena) {
    uint32_t *to = recipe_take(r, arena, matrix->columns + 1, sizeof *to);
    for (size_t j = 0; to && j < matrix->columns; j++)
        to[j] = zero;
    for (size_t e = 0; to && e < matrix->count; e++)
        to[matrix->column[e]] = r->program->output_slot[begin + e] * r->program->stride;
    return to;
}
