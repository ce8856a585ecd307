/* nearest_plan.c - see nearest_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_plan.h"

#include "autodiff/program_spec.h"
#include "autodiff/split.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

struct parts {
    struct recipe recipe;
    struct problem_split split;
    struct node_list kinks;
    size_t own_rows, own_cost, lifts, pairs;        /* index of their first node, as below */
    struct node_matrix jacobian, hessian, gradient; /* of c; lower triangle, of the Lagrangian; of f */
    size_t rows, entries, curvatures, cost, slopes; /* indices of their first nodes */
};

enum { MOST_NODES = 1 << 19, MOST_NUMBERS = 1 << 22 }; /* limits for second derivatives entry by entry */

/* ---- the program ---- */

/* Without the model's objective when the goal is the distance. */
static void differentiate_plan(struct parts *parts, bool optimal, bool entries) {
    struct recipe *recipe = &parts->recipe;
    struct graph *g = &recipe->problem.graph;
    if (!optimal)
        recipe->problem.objective = 0;
    if (optimal && recipe->status == HN_OK && !parts->split.count)
        recipe->status = problem_list_kinks(&recipe->problem, &parts->kinks, recipe->error);
    recipe_jacobian(recipe, &parts->jacobian, SPACE_Y);
    if (optimal)
        recipe_gradient(recipe, &parts->gradient, SPACE_Y);
    if (!entries || recipe->status != HN_OK)
        return;
    if (MOST_NODES < g->max_nodes - g->count)
        g->max_nodes = g->count + MOST_NODES;
    if (MOST_NUMBERS < g->max_numbers - g->number_count)
        g->max_numbers = g->number_count + MOST_NUMBERS;
    recipe_hessian(recipe, &parts->hessian, SPACE_Y, SPACE_Y);
}

static void compile_plan(struct nearest_plan *r, struct parts *parts) {
    static const enum space others[] = {SPACE_LAMBDA, SPACE_SIGMA};
    struct recipe *recipe = &parts->recipe;
    parts->rows = recipe_ask_rows(recipe);
    parts->entries = recipe_ask_matrix(recipe, &parts->jacobian);
    parts->curvatures = recipe_ask_matrix(recipe, &parts->hessian);
    if (r->optimal) {
        parts->cost = recipe_ask(recipe, &recipe->problem.objective, 1);
        parts->slopes = recipe_ask_matrix(recipe, &parts->gradient);
    }
    parts->pairs = recipe_ask(recipe, parts->kinks.nodes, parts->kinks.count);
    if (parts->split.count) {
        parts->lifts = recipe_ask(recipe, parts->split.kink, parts->split.count);
        parts->own_rows = recipe_ask(recipe, parts->split.body, parts->split.rows);
        parts->own_cost = recipe_ask(recipe, &parts->split.objective, 1);
    }
    r->program = recipe_compile(recipe, r->stride, others, r->optimal ? 2 : 1);
    r->inputs = recipe->problem.inputs;
    r->outputs = recipe->problem.outputs;
    r->rows = recipe->problem.rows;
    r->entries = parts->jacobian.count;
    r->kinks = parts->kinks.count / 2;
    r->own_outputs = parts->split.count ? parts->split.outputs : r->outputs;
    r->own_rows = parts->split.count ? parts->split.rows : r->rows;
}

/* ---- memory layout ---- */

static uint32_t take_slots(struct nearest_plan *r, size_t count) {
    size_t offset = r->slots * r->stride;
    r->slots += count;
    return (uint32_t)offset;
}

static void keep_columns(struct nearest_plan *r, struct parts *parts, const double *weights) {
    struct recipe *recipe = &parts->recipe;
    r->square = recipe_take(recipe, &r->arena, r->outputs + 1, sizeof *r->square);
    r->fixed = recipe_take(recipe, &r->arena, r->outputs + 1, sizeof *r->fixed);
    for (size_t j = 0; recipe->status == HN_OK && j < r->outputs; j++) {
        r->fixed[j] = recipe->problem.fixed[j] != 0;
        r->square[j] = r->optimal ? 0 : weights ? weights[j] * weights[j] : 1;
        r->largest_square = r->square[j] > r->largest_square ? r->square[j] : r->largest_square;
    }
}

/* Entries of the Hessian by rows; their slots are outputs of the program or of the products. */
static void keep_curvatures(struct nearest_plan *r, struct parts *parts, const struct nearest_products *products) {
    struct recipe *recipe = &parts->recipe;
    const size_t *first = products ? products->first : parts->hessian.first;
    const uint32_t *column = products ? products->column : parts->hessian.column;
    r->curvatures = products ? products->first[r->outputs] : parts->hessian.count;
    r->curvature = recipe_take(recipe, &r->arena, r->outputs + 1, sizeof *r->curvature);
    r->bend = recipe_take(recipe, &r->arena, r->curvatures + 1, sizeof *r->bend);
    for (size_t j = 0; recipe->status == HN_OK && j < r->outputs; j++) {
        r->curvature[j] = (uint32_t)(r->program->slots * r->stride); /* zeros, after the program's slots */
        for (size_t e = first[j]; e < first[j + 1]; e++) {
            uint32_t place = products ? (uint32_t)(r->hessian + e * r->stride)
                                      : r->program->output_slot[parts->curvatures + e] * r->stride;
            r->bend[e] = (struct signed_entry){(uint32_t)j, column[e], place};
            if (column[e] == j)
                r->curvature[j] = place;
        }
    }
}

static void keep_places(struct nearest_plan *r, struct parts *parts, const struct nearest_goal *goal,
                        const struct nearest_products *products) {
    struct recipe *recipe = &parts->recipe;
    struct row_places rows;
    struct matrix_places jacobian;
    r->x = recipe_leaf(recipe, SPACE_X);
    r->y = recipe_leaf(recipe, SPACE_Y);
    r->lambda = recipe_leaf(recipe, SPACE_LAMBDA);
    r->sigma = recipe_leaf(recipe, SPACE_SIGMA);
    recipe_rows(recipe, parts->rows, &r->arena, &rows);
    recipe_matrix(recipe, &parts->jacobian, parts->entries, &r->arena, &jacobian);
    r->value = rows.value, r->lower = rows.lower, r->upper = rows.upper;
    r->first = jacobian.first, r->column = jacobian.column, r->entry = jacobian.entry;
    r->kink = recipe_places(recipe, parts->pairs, parts->kinks.count, &r->arena);
    r->lift = recipe_places(recipe, parts->lifts, parts->split.count, &r->arena);
    r->own_value = parts->split.count ? recipe_places(recipe, parts->own_rows, r->own_rows, &r->arena) : r->value;
    keep_columns(r, parts, goal->weights);
    keep_curvatures(r, parts, products);
    if (recipe->status != HN_OK || !r->optimal)
        return;
    r->cost = r->program->output_slot[parts->cost] * r->stride;
    r->own_cost = parts->split.count ? r->program->output_slot[parts->own_cost] * r->stride : r->cost;
    r->gradient =
        recipe_vector(recipe, &parts->gradient, parts->slopes, (uint32_t)(r->program->slots * r->stride), &r->arena);
}

/* ---- the system ---- */

/* Off-diagonal entries: the Hessian's, then those of J; fixed outputs are left out. */
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
    r->by_rows = take_slots(r, ROW_VECTORS * r->rows);
    r->by_columns = take_slots(r, COLUMN_VECTORS * r->outputs);
    r->by_unknowns = take_slots(r, UNKNOWN_VECTORS * unknowns);
    r->matrix = take_slots(r, r->entries);
    r->numbers = take_slots(r, NUMBERS);
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

hn_status nearest_plan_create(struct nearest_plan *plan, const hn_model *model, const struct nearest_goal *goal,
                              const struct nearest_products *products, uint32_t stride, hn_error *error) {
    struct parts parts = {.rows = 0};
    *plan = (struct nearest_plan){
        .stride = stride, .optimal = goal->optimal, .tolerance = goal->tolerance, .relative = goal->relative};
    recipe_begin(&parts.recipe, model, goal->optimal ? "the optimal point" : "the nearest point", error);
    if (goal->split && parts.recipe.status == HN_OK)
        parts.recipe.status = problem_split_kinks(&parts.recipe.problem, &parts.split, error);
    bool empty = goal->split && parts.split.count == 0;
    if (!empty) {
        differentiate_plan(&parts, goal->optimal, !products);
        compile_plan(plan, &parts);
    }
    if (plan->program) {
        plan->slots = plan->program->slots + 1; /* one for the zeros of keep_curvatures */
        plan->hessian = take_slots(plan, products ? products->first[plan->outputs] : 0);
        keep_places(plan, &parts, goal, products);
    }
    node_matrix_release(&parts.jacobian);
    node_matrix_release(&parts.hessian);
    node_matrix_release(&parts.gradient);
    node_list_release(&parts.kinks);
    problem_split_release(&parts.split);
    hn_status status = recipe_end(&parts.recipe);
    if (status == HN_OK && !empty)
        status = create_system(plan, error);
    if (status != HN_OK)
        nearest_plan_release(plan);
    return status;
}

void nearest_plan_release(struct nearest_plan *plan) {
    program_destroy(plan->program);
    signed_release(&plan->system);
    arena_release(&plan->arena);
    *plan = (struct nearest_plan){.inputs = 0};
}

void nearest_plan_prepare(const struct nearest_plan *plan, double *memory) {
    memset(memory, 0, plan->bytes);
    program_prepare(plan->program, memory);
}

/* ---- derivatives with respect to the inputs ---- */

/* With the objective, or without it when the goal is the distance. */
static void build_inputs(struct nearest_inputs *r, struct recipe *recipe, struct node_matrix *rows,
                         struct node_matrix *bends, bool optimal, uint32_t stride) {
    static const enum space others[] = {SPACE_LAMBDA, SPACE_SIGMA};
    if (!optimal)
        recipe->problem.objective = 0;
    recipe_jacobian(recipe, rows, SPACE_X);
    recipe_hessian(recipe, bends, SPACE_Y, SPACE_X);
    size_t by_rows = recipe_ask_matrix(recipe, rows), by_bends = recipe_ask_matrix(recipe, bends);
    r->program = recipe_compile(recipe, stride, others, optimal ? 2 : 1);
    r->x = recipe_leaf(recipe, SPACE_X);
    r->y = recipe_leaf(recipe, SPACE_Y);
    r->lambda = recipe_leaf(recipe, SPACE_LAMBDA);
    r->sigma = recipe_leaf(recipe, SPACE_SIGMA);
    recipe_matrix(recipe, rows, by_rows, &r->arena, &r->rows);
    recipe_matrix(recipe, bends, by_bends, &r->arena, &r->bends);
    r->bytes = r->program ? r->program->slots * stride * sizeof(double) : 0;
}

hn_status nearest_inputs_create(struct nearest_inputs *inputs, const hn_model *model, bool optimal, uint32_t stride,
                                hn_error *error) {
    struct recipe recipe;
    struct node_matrix rows = {.rows = 0}, bends = {.rows = 0};
    *inputs = (struct nearest_inputs){.program = NULL};
    if (hn_model_input_count(model) == 0)
        return HN_OK;
    recipe_begin(&recipe, model, optimal ? "the optimal point" : "the nearest point", error);
    build_inputs(inputs, &recipe, &rows, &bends, optimal, stride);
    node_matrix_release(&rows);
    node_matrix_release(&bends);
    hn_status status = recipe_end(&recipe);
    if (status != HN_OK)
        nearest_inputs_release(inputs);
    return status;
}

void nearest_inputs_release(struct nearest_inputs *inputs) {
    program_destroy(inputs->program);
    arena_release(&inputs->arena);
    *inputs = (struct nearest_inputs){.program = NULL};
}
