/* nearest_inputs.c - see nearest_inputs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_inputs.h"

/* With the objective, or without it when the goal is the distance. */
static void nearest_inputs_build(struct nearest_inputs *r, struct recipe *recipe, struct node_matrix *rows,
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
    nearest_inputs_build(inputs, &recipe, &rows, &bends, optimal, stride);
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
