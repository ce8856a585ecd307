/* loss.c - see loss.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/loss.h"

#include "autodiff/program_spec.h"
#include "base/error.h"

#include <string.h>

/* Outputs of the program: f, then c, bl, bu, then the entries of both gradients. */
struct parts {
    struct recipe recipe;
    struct node_matrix gradient, pull;
};

static void loss_differentiate(struct parts *parts) {
    struct recipe *recipe = &parts->recipe;
    if (recipe->status == HN_OK && recipe->problem.objective == 0)
        recipe->status = error_about(recipe->error, HN_INVALID, error_argument("model"),
                                     "the model has no objective; the loss needs one");
    recipe_gradient(recipe, &parts->gradient, SPACE_Y);
    if (recipe->status == HN_OK)
        recipe->status = derivatives_pull(&parts->pull, &recipe->problem, SPACE_Y, recipe->error);
}

static uint32_t *take_entries(struct loss *loss, struct recipe *recipe, const struct node_matrix *matrix) {
    uint32_t *entries = recipe_take(recipe, &loss->arena, matrix->count + 1, sizeof *entries);
    if (entries && matrix->count)
        memcpy(entries, matrix->column, matrix->count * sizeof *entries);
    return entries;
}

static void compile(struct loss *loss, struct parts *parts) {
    static const enum space others[] = {SPACE_LAMBDA};
    struct recipe *recipe = &parts->recipe;
    struct row_places own;
    size_t objective = recipe_ask(recipe, &recipe->problem.objective, 1), rows = recipe_ask_rows(recipe);
    size_t gradient = recipe_ask_matrix(recipe, &parts->gradient), pull = recipe_ask_matrix(recipe, &parts->pull);
    loss->program = recipe_compile(recipe, loss->stride, others, 1);
    if (!loss->program)
        return;
    loss->inputs = recipe->problem.inputs;
    loss->outputs = recipe->problem.outputs;
    recipe_rows(recipe, rows, &loss->arena, &own);
    loss->places = (struct loss_places){
        .rows = recipe->problem.rows,
        .outputs = recipe->problem.outputs,
        .x = recipe_leaf(recipe, SPACE_X),
        .y = recipe_leaf(recipe, SPACE_Y),
        .multiplier = recipe_leaf(recipe, SPACE_LAMBDA),
        .objective = loss->program->output_slot[objective] * loss->stride,
        .stride = loss->stride,
        .value = own.value,
        .lower = own.lower,
        .upper = own.upper,
        .gradient_at = recipe_places(recipe, gradient, parts->gradient.count, &loss->arena),
        .gradient_entry = take_entries(loss, recipe, &parts->gradient),
        .gradient_count = parts->gradient.count,
        .pull_at = recipe_places(recipe, pull, parts->pull.count, &loss->arena),
        .pull_entry = take_entries(loss, recipe, &parts->pull),
        .pull_count = parts->pull.count,
    };
    loss->bytes = loss->program->slots * loss->stride * sizeof(double);
}

hn_status loss_compile(struct loss *loss, const hn_model *model, hn_error *error) {
    struct parts parts = {.gradient = {.rows = 0}};
    recipe_begin(&parts.recipe, model, "the loss", error);
    loss_differentiate(&parts);
    compile(loss, &parts);
    node_matrix_release(&parts.gradient);
    node_matrix_release(&parts.pull);
    hn_status status = recipe_end(&parts.recipe);
    if (status != HN_OK)
        loss_release(loss);
    return status;
}

hn_status loss_compile_objective(struct loss *loss, const hn_model *model, hn_error *error) {
    struct loss_objective *alone = &loss->alone;
    struct recipe recipe;
    recipe_begin(&recipe, model, "the loss", error);
    recipe_ask(&recipe, &recipe.problem.objective, 1);
    alone->program = recipe_compile(&recipe, loss->stride, NULL, 0);
    if (alone->program) {
        alone->x = recipe_leaf(&recipe, SPACE_X);
        alone->y = recipe_leaf(&recipe, SPACE_Y);
        alone->objective = alone->program->output_slot[0] * loss->stride;
        alone->first = loss->bytes / sizeof(double);
        loss->bytes += alone->program->slots * loss->stride * sizeof(double);
    }
    hn_status status = recipe_end(&recipe);
    if (status != HN_OK)
        loss_release(loss);
    return status;
}

void loss_release(struct loss *loss) {
    program_destroy(loss->program);
    program_destroy(loss->alone.program);
    arena_release(&loss->arena);
    *loss = (struct loss){.inputs = 0};
}
