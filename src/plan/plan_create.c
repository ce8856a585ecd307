/* plan_create.c - from a finished model to a plan: everything that a layer evaluates, as one program in three phases.
 *
 *     once per sample   bl, bu, start, fixed values, and their derivatives with respect to x
 *     once per step     c, J = dc/dy
 *     adjoint only      the bracket d/dy and d/dx of v' J t - q' J s, and d/dx of lambda' c
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "plan/plan_builder.h"

#include <string.h>

enum { NODE_MATRICES = 8 };

static void list_matrices(struct plan_builder *b, struct node_matrix *matrices[NODE_MATRICES]) {
    struct node_matrix *const all[NODE_MATRICES] = {&b->jacobian, &b->bracket_y, &b->bracket_x, &b->pull_x,
                                                    &b->lower_x,  &b->upper_x,   &b->start_x,   &b->fixed_x};
    memcpy(matrices, all, sizeof all);
}

/* ---- memory ---- */

void *plan_take(struct plan_builder *b, size_t count, size_t size) {
    void *memory = b->status == HN_OK ? arena_take(&b->arena, count + 1, size) : NULL;
    if (!memory && b->status == HN_OK)
        b->status = error_no_memory(b->error, "the layer");
    return memory;
}

struct plan_pairs plan_take_pairs(struct plan_builder *b) {
    struct plan_pairs pairs = {.row = plan_take(b, b->problem.rows, sizeof *pairs.row),
                               .output = plan_take(b, b->problem.rows, sizeof *pairs.output)};
    return pairs;
}

void plan_add_pair(struct plan_pairs *pairs, size_t row, size_t output) {
    pairs->row[pairs->count] = (uint32_t)row;
    pairs->output[pairs->count++] = (uint32_t)output;
}

/* ---- derivatives ---- */

static void find_fixed(struct plan_builder *b) {
    const struct problem *p = &b->problem;
    b->fixed_outputs = plan_take(b, p->outputs, sizeof *b->fixed_outputs);
    for (size_t j = 0; j < p->outputs && b->status == HN_OK; j++)
        if (p->fixed[j] != 0) {
            b->fixed_outputs[b->fixed.count] = (uint32_t)j;
            b->status = node_list_add(&b->fixed, &p->fixed[j], 1, b->error);
        }
}

/* Rows whose body is a single output. */
static void find_bounds(struct plan_builder *b) {
    const struct problem *p = &b->problem;
    b->bounds = plan_take_pairs(b);
    for (size_t i = 0; i < p->rows && b->status == HN_OK; i++) {
        const struct node *node = &p->graph.nodes[p->body[i]];
        if (node->op == OP_LEAF && node->a == SPACE_Y && !plan_in_block(b, i))
            plan_add_pair(&b->bounds, i, node->b);
    }
}

static void derive(struct plan_builder *b, struct node_matrix *out, const uint32_t *nodes, size_t count,
                   enum space space) {
    struct problem *p = &b->problem;
    size_t columns = space == SPACE_X ? p->inputs : p->outputs;
    if (b->status == HN_OK)
        b->status = derivatives_jacobian(out, &p->graph, nodes, count, space, columns, b->error);
}

/* The bracket of the adjoint with respect to y and x. */
static void derive_brackets(struct plan_builder *b) {
    struct problem *p = &b->problem;
    struct graph *g = &p->graph;
    uint32_t *weights = NULL;
    if (b->status == HN_OK)
        b->status = derivatives_weights(&weights, g, &b->jacobian, true, true, b->error);
    if (b->status == HN_OK)
        b->status = derivatives_contract(&b->bracket_y, g, &b->jacobian, weights, SPACE_Y, p->outputs, b->error);
    if (b->status == HN_OK)
        b->status = derivatives_contract(&b->bracket_x, g, &b->jacobian, weights, SPACE_X, p->inputs, b->error);
    base_release(weights);
}

static void plan_derive(struct plan_builder *b, const hn_model *model) {
    struct problem *p = &b->problem;
    b->status = problem_create(p, model, b->error);
    plan_find_blocks(b, model);
    find_fixed(b);
    find_bounds(b);
    derive(b, &b->jacobian, p->body, p->rows, SPACE_Y);
    plan_fill_blocks(b);
    derive_brackets(b);
    if (b->status == HN_OK)
        b->status = derivatives_pull(&b->pull_x, p, SPACE_X, b->error);
    derive(b, &b->lower_x, p->lower, p->rows, SPACE_X);
    derive(b, &b->upper_x, p->upper, p->rows, SPACE_X);
    derive(b, &b->start_x, p->start, p->outputs, SPACE_X);
    derive(b, &b->fixed_x, b->fixed.nodes, b->fixed.count, SPACE_X);
}

/* ---- the program ---- */

void plan_parts(struct plan_builder *b, struct plan_part parts[PLAN_PARTS]) {
    const struct problem *p = &b->problem;
    struct plan *plan = &b->plan;
    const struct plan_part all[PLAN_PARTS] = {
        {p->body, p->rows, &plan->value},
        {p->lower, p->rows, &plan->lower},
        {p->upper, p->rows, &plan->upper},
        {b->jacobian.node, b->jacobian.count, &plan->jacobian.slot},
        {p->start, p->outputs, &plan->start},
        {b->fixed.nodes, b->fixed.count, &plan->fixed.slot},
        {b->bracket_y.node, b->bracket_y.count, &plan->bracket_y.slot},
        {b->bracket_x.node, b->bracket_x.count, &plan->bracket_x.slot},
        {b->pull_x.node, b->pull_x.count, &plan->pull_x.slot},
        {b->lower_x.node, b->lower_x.count, &plan->lower_x.slot},
        {b->upper_x.node, b->upper_x.count, &plan->upper_x.slot},
        {b->start_x.node, b->start_x.count, &plan->start_x.slot},
        {b->fixed_x.node, b->fixed_x.count, &plan->fixed_x.slot},
    };
    for (size_t i = 0; i < PLAN_PARTS; i++)
        parts[i] = all[i];
}

/* The program replaces the graph; the system is built in the freed memory. */
static void forget_nodes(struct plan_builder *b) {
    struct node_matrix *matrices[NODE_MATRICES];
    list_matrices(b, matrices);
    for (size_t i = 0; i < NODE_MATRICES; i++) {
        base_release(matrices[i]->node);
        matrices[i]->node = NULL;
    }
    node_list_release(&b->nodes);
    graph_release(&b->problem.graph);
}

static void plan_compile(struct plan_builder *b) {
    const struct problem *p = &b->problem;
    struct plan_part parts[PLAN_PARTS];
    plan_parts(b, parts);
    for (size_t i = 0; i < PLAN_PARTS && b->status == HN_OK; i++)
        b->status = node_list_add(&b->nodes, parts[i].nodes, parts[i].count, b->error);
    struct program_request request = {
        .stride = 1, .graph = &p->graph, .outputs = b->nodes.nodes, .output_count = b->nodes.count};
    for (int space = 0; space < SPACE_COUNT; space++)
        request.phase[space] = 2;
    request.phase[SPACE_X] = 0;
    request.phase[SPACE_Y] = 1;
    request.leaf_count[SPACE_X] = p->inputs;
    request.leaf_count[SPACE_Y] = request.leaf_count[SPACE_T] = request.leaf_count[SPACE_S] = p->outputs;
    request.leaf_count[SPACE_V] = request.leaf_count[SPACE_Q] = request.leaf_count[SPACE_LAMBDA] = p->rows;
    if (b->status == HN_OK)
        b->status = program_create(&b->program, &request, b->error);
    forget_nodes(b);
}

/* ---- all stages ---- */

static void release_builder(struct plan_builder *b) {
    struct node_matrix *matrices[NODE_MATRICES];
    list_matrices(b, matrices);
    for (size_t i = 0; i < NODE_MATRICES; i++)
        node_matrix_release(matrices[i]);
    node_list_release(&b->fixed);
    node_list_release(&b->nodes);
    program_destroy(b->program);
    damped_release(&b->system);
    problem_release(&b->problem);
    arena_release(&b->arena);
}

hn_status plan_create(struct plan **out, const hn_model *model, const hn_layer_options *options, hn_error *error) {
    struct plan_builder builder = {.options = options, .error = error};
    *out = NULL;
    plan_derive(&builder, model);
    plan_compile(&builder);
    plan_map(&builder);
    plan_system(&builder);
    plan_pack(out, &builder);
    release_builder(&builder);
    return builder.status;
}

void plan_destroy(struct plan *plan) {
    base_release(plan);
}
