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

/* ---- derivatives ---- */

static hn_status derive_rows(struct plan_builder *b, hn_error *error) {
    struct problem *p = &b->problem;
    struct graph *g = &p->graph;
    uint32_t *weights = NULL;
    hn_status status = derivatives_jacobian(&b->jacobian, g, p->body, p->rows, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_weights(&weights, g, &b->jacobian, true, true, error);
    if (status == HN_OK)
        status = derivatives_contract(&b->bracket_y, g, &b->jacobian, weights, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_contract(&b->bracket_x, g, &b->jacobian, weights, SPACE_X, p->inputs, error);
    base_release(weights);
    return status;
}

static hn_status derive_by_inputs(struct plan_builder *b, hn_error *error) {
    struct problem *p = &b->problem;
    const struct {
        struct node_matrix *out;
        const uint32_t *nodes;
        size_t count;
    } lists[] = {
        {&b->lower_x, p->lower, p->rows},
        {&b->upper_x, p->upper, p->rows},
        {&b->start_x, p->start, p->outputs},
        {&b->fixed_x, b->fixed.nodes, b->fixed.count},
    };
    hn_status status = derivatives_pull(&b->pull_x, p, SPACE_X, error);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && status == HN_OK; i++)
        status =
            derivatives_jacobian(lists[i].out, &p->graph, lists[i].nodes, lists[i].count, SPACE_X, p->inputs, error);
    return status;
}

static hn_status find_fixed(struct plan_builder *b, hn_error *error) {
    const struct problem *p = &b->problem;
    hn_status status = HN_OK;
    b->fixed_outputs = arena_take(&b->arena, p->outputs + 1, sizeof *b->fixed_outputs);
    if (!b->fixed_outputs)
        return error_no_memory(error, "the layer");
    for (size_t j = 0; j < p->outputs && status == HN_OK; j++)
        if (p->fixed[j] != 0) {
            b->fixed_outputs[b->fixed.count] = (uint32_t)j;
            status = node_list_add(&b->fixed, &p->fixed[j], 1, error);
        }
    return status;
}

bool plan_take_pairs(struct plan_builder *b, struct plan_pairs *pairs) {
    pairs->row = arena_take(&b->arena, b->problem.rows + 1, sizeof *pairs->row);
    pairs->output = arena_take(&b->arena, b->problem.rows + 1, sizeof *pairs->output);
    return pairs->row && pairs->output;
}

void plan_add_pair(struct plan_pairs *pairs, size_t row, size_t output) {
    pairs->row[pairs->count] = (uint32_t)row;
    pairs->output[pairs->count++] = (uint32_t)output;
}

/* Rows whose body is a single output. */
static hn_status find_bounds(struct plan_builder *b, hn_error *error) {
    const struct problem *p = &b->problem;
    if (!plan_take_pairs(b, &b->bounds))
        return error_no_memory(error, "the layer");
    for (size_t i = 0; i < p->rows; i++) {
        const struct node *node = &p->graph.nodes[p->body[i]];
        if (node->op == OP_LEAF && node->a == SPACE_Y)
            plan_add_pair(&b->bounds, i, node->b);
    }
    return HN_OK;
}

hn_status plan_derive(struct plan_builder *b, const hn_model *model, hn_error *error) {
    hn_status status = problem_create(&b->problem, model, error);
    if (status == HN_OK)
        status = find_fixed(b, error);
    if (status == HN_OK)
        status = find_bounds(b, error);
    if (status == HN_OK)
        status = derive_rows(b, error);
    return status == HN_OK ? derive_by_inputs(b, error) : status;
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

static hn_status plan_create_collect(struct plan_builder *b, hn_error *error) {
    struct plan_part parts[PLAN_PARTS];
    hn_status status = HN_OK;
    plan_parts(b, parts);
    for (size_t i = 0; i < PLAN_PARTS && status == HN_OK; i++)
        status = node_list_add(&b->nodes, parts[i].nodes, parts[i].count, error);
    return status;
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

hn_status plan_compile(struct plan_builder *b, hn_error *error) {
    const struct problem *p = &b->problem;
    hn_status status = plan_create_collect(b, error);
    struct program_request request = {
        .stride = 1, .graph = &p->graph, .outputs = b->nodes.nodes, .output_count = b->nodes.count};
    for (int space = 0; space < SPACE_COUNT; space++)
        request.phase[space] = 2;
    request.phase[SPACE_X] = 0;
    request.phase[SPACE_Y] = 1;
    request.leaf_count[SPACE_X] = p->inputs;
    request.leaf_count[SPACE_Y] = request.leaf_count[SPACE_T] = request.leaf_count[SPACE_S] = p->outputs;
    request.leaf_count[SPACE_V] = request.leaf_count[SPACE_Q] = request.leaf_count[SPACE_LAMBDA] = p->rows;
    if (status == HN_OK)
        status = program_create(&b->program, &request, error);
    forget_nodes(b);
    return status;
}

/* ---- all stages ---- */

static void plan_create_release(struct plan_builder *b) {
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
    struct plan_builder builder = {.options = options};
    *out = NULL;
    hn_status status = plan_derive(&builder, model, error);
    if (status == HN_OK)
        status = plan_compile(&builder, error);
    if (status == HN_OK)
        status = plan_map(&builder, error);
    if (status == HN_OK)
        status = plan_system(&builder, error);
    if (status == HN_OK)
        status = plan_pack(out, &builder, error);
    plan_create_release(&builder);
    return status;
}

void plan_destroy(struct plan *plan) {
    base_release(plan);
}
