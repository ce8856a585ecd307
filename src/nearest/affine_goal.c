/* affine_goal.c - see affine.h: a quadratic objective, whose Hessian is constant.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/program_spec.h"
#include "base/error.h"
#include "base/memory.h"
#include "cpu/backend.h"
#include "nearest/affine.h"

#include <string.h>

#define NEAREST_AT(slots, offset) ((slots) + (offset))
#include "core/active_set_objective.h"

enum { MOST_OUTPUTS = 512, MOST_NODES = 1 << 18 };

struct parts {
    struct recipe recipe;
    struct node_matrix gradient, second; /* of f; of its non-constant entries with respect to y */
    uint32_t *bent, *column;             /* those entries; their outputs */
    size_t count;
};

static void affine_goal_differentiate(struct parts *parts, hn_error *error) {
    struct recipe *recipe = &parts->recipe;
    struct graph *g = &recipe->problem.graph;
    struct node_matrix *gradient = &parts->gradient;
    recipe_gradient(recipe, gradient, SPACE_Y);
    if (recipe->status != HN_OK)
        return;
    if (MOST_NODES < g->max_nodes - g->count)
        g->max_nodes = g->count + MOST_NODES;
    for (size_t e = 0; e < gradient->count; e++)
        if (!graph_entry_is_constant(g, gradient->node[e], NULL)) {
            parts->bent[parts->count] = gradient->node[e];
            parts->column[parts->count++] = gradient->column[e];
        }
    recipe->status =
        derivatives_jacobian(&parts->second, g, parts->bent, parts->count, SPACE_Y, recipe->problem.outputs, error);
}

/* Reads the Hessian; false if an entry is not constant. */
static bool read_numbers(const struct parts *parts, double *hessian) {
    const struct node_matrix *second = &parts->second;
    size_t outputs = parts->recipe.problem.outputs;
    bool numbers = true;
    memset(hessian, 0, outputs * outputs * sizeof *hessian);
    for (size_t k = 0; numbers && k < parts->count; k++)
        for (size_t e = second->first[k]; numbers && e < second->first[k + 1]; e++)
            numbers = graph_entry_is_constant(&parts->recipe.problem.graph, second->node[e],
                                              &hessian[parts->column[k] * outputs + second->column[e]]);
    return numbers;
}

/* The program of f and its derivatives with respect to y. */
static void affine_goal_compile(struct affine *a, struct parts *parts) {
    struct recipe *recipe = &parts->recipe;
    size_t cost = recipe_ask(recipe, &recipe->problem.objective, 1);
    size_t slopes = recipe_ask_matrix(recipe, &parts->gradient);
    a->goal = recipe_compile(recipe, 1, NULL, 0);
    if (!a->goal)
        return;
    a->goal_inputs = a->goal->leaf_count[SPACE_X];
    a->goal_x = recipe_leaf(recipe, SPACE_X);
    a->goal_y = recipe_leaf(recipe, SPACE_Y);
    a->goal_cost = a->goal->output_slot[cost];
    a->goal_slope = recipe_vector(recipe, &parts->gradient, slopes, (uint32_t)a->goal->slots, &a->arena);
}

hn_status affine_read_goal(struct affine *a, const hn_model *model, double *hessian, bool *quadratic, hn_error *error) {
    struct parts parts = {.count = 0};
    hn_error unused;
    *quadratic = false;
    if (a->outputs > MOST_OUTPUTS)
        return HN_OK;
    recipe_begin(&parts.recipe, model, "the optimal point", error);
    parts.bent = recipe_take(&parts.recipe, &a->arena, a->outputs + 1, sizeof *parts.bent);
    parts.column = recipe_take(&parts.recipe, &a->arena, a->outputs + 1, sizeof *parts.column);
    affine_goal_differentiate(&parts, &unused);
    bool large = parts.recipe.status == HN_LIMIT; /* too many nodes: affine.h is not used */
    if (parts.recipe.status == HN_OK)
        *quadratic = read_numbers(&parts, hessian);
    if (*quadratic)
        affine_goal_compile(a, &parts);
    node_matrix_release(&parts.gradient);
    node_matrix_release(&parts.second);
    hn_status status = recipe_end(&parts.recipe);
    if (status == HN_NO_MEMORY)
        return error_no_memory(error, "the optimal point");
    return large ? HN_OK : status;
}

/* ---- workspace and inspection ---- */

size_t affine_goal_numbers(const struct affine *a) {
    return a->goal ? a->goal->slots + 1 : 0;
}

void affine_goal_begin(const struct affine *a, double *memory) {
    if (!a->goal)
        return;
    program_prepare(a->goal, memory);
    memory[a->goal->slots] = 0;
}

double affine_goal_after(const struct affine *a, double *memory, const double *x, struct affine_sample *sample,
                         double *slope, double *cost) {
    const struct backend single = backend_single();
    return affine_look_after(&single, a, memory, x, sample, slope, cost);
}

double affine_goal_at(const struct affine *a, double *memory, const double *x, const double *y, double *slope) {
    const struct backend single = backend_single();
    return affine_look(&single, a, memory, x, y, slope);
}
