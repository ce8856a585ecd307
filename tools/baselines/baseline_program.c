/* baseline_program.c - see baseline_program.h.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/baseline_program.h"

#include "autodiff/program_spec.h"
#include "base/memory.h"

/* The outputs of the program, in this order: c, bl, bu, J, starts, fixed values, the bracket. */
struct parts {
    struct recipe recipe;
    struct node_matrix jacobian, bracket;
    size_t rows, entries, starts, fixed, brackets; /* where their nodes begin */
};

static void baseline_program_differentiate(struct parts *parts) {
    struct recipe *recipe = &parts->recipe;
    struct problem *p = &recipe->problem;
    uint32_t *weights = NULL;
    recipe_jacobian(recipe, &parts->jacobian, SPACE_Y);
    if (recipe->status == HN_OK)
        recipe->status = derivatives_weights(&weights, &p->graph, &parts->jacobian, true, false, recipe->error);
    if (recipe->status == HN_OK)
        recipe->status = derivatives_contract(&parts->bracket, &p->graph, &parts->jacobian, weights, SPACE_Y,
                                              p->outputs, recipe->error);
    base_release(weights);
}

static void baseline_program_compile(struct baseline_program *b, struct parts *parts) {
    static const enum space others[] = {SPACE_T, SPACE_V};
    struct recipe *recipe = &parts->recipe;
    const struct problem *p = &recipe->problem;
    parts->rows = recipe_ask_rows(recipe);
    parts->entries = recipe_ask_matrix(recipe, &parts->jacobian);
    parts->starts = recipe_ask(recipe, p->start, p->outputs);
    parts->fixed = recipe->nodes.count;
    for (size_t j = 0; j < p->outputs; j++)
        if (p->fixed[j] != 0)
            recipe_ask(recipe, &p->fixed[j], 1);
    parts->brackets = recipe_ask_matrix(recipe, &parts->bracket);
    b->program = recipe_compile(recipe, b->stride, others, 2);
    b->inputs = p->inputs;
    b->outputs = p->outputs;
    b->rows = p->rows;
}

/* ---- from nodes to offsets ---- */

static void keep_rows(struct baseline_program *b, struct parts *parts) {
    struct recipe *recipe = &parts->recipe;
    struct row_places rows;
    struct matrix_places jacobian;
    recipe_rows(recipe, parts->rows, &b->arena, &rows);
    recipe_matrix(recipe, &parts->jacobian, parts->entries, &b->arena, &jacobian);
    b->value = rows.value, b->lower = rows.lower, b->upper = rows.upper;
    b->entries = jacobian.count;
    b->first = jacobian.first, b->column = jacobian.column, b->entry = jacobian.entry;
    b->equality = recipe_take(recipe, &b->arena, b->rows + 1, sizeof *b->equality);
    for (size_t i = 0; b->equality && i < b->rows; i++)
        b->equality[i] = recipe->problem.lower[i] == recipe->problem.upper[i];
}

static void keep_fixed(struct baseline_program *b, struct parts *parts) {
    b->fixed.entry = recipe_take(&parts->recipe, &b->arena, b->outputs + 1, sizeof *b->fixed.entry);
    for (size_t j = 0; b->fixed.entry && j < b->outputs; j++)
        if (parts->recipe.problem.fixed[j] != 0)
            b->fixed.entry[b->fixed.count++] = (uint32_t)j;
    b->fixed.at = recipe_places(&parts->recipe, parts->fixed, b->fixed.count, &b->arena);
}

static void keep_bracket(struct baseline_program *b, struct parts *parts) {
    const struct node_matrix *bracket = &parts->bracket;
    b->bracket.count = bracket->count;
    b->bracket.at = recipe_places(&parts->recipe, parts->brackets, bracket->count, &b->arena);
    b->bracket.entry = recipe_take(&parts->recipe, &b->arena, bracket->count + 1, sizeof *b->bracket.entry);
    for (size_t i = 0; b->bracket.entry && i < bracket->count; i++)
        b->bracket.entry[i] = bracket->column[i] * b->stride;
}

static void baseline_program_keep(struct baseline_program *b, struct parts *parts) {
    struct recipe *recipe = &parts->recipe;
    if (!b->program)
        return;
    b->x = recipe_leaf(recipe, SPACE_X);
    b->y = recipe_leaf(recipe, SPACE_Y);
    b->t = recipe_leaf(recipe, SPACE_T);
    b->v = recipe_leaf(recipe, SPACE_V);
    b->start = recipe_places(recipe, parts->starts, b->outputs, &b->arena);
    keep_rows(b, parts);
    keep_fixed(b, parts);
    keep_bracket(b, parts);
}

/* ---- life ---- */

hn_status baseline_program_create(struct baseline_program *b, const hn_model *model, uint32_t stride, hn_error *error) {
    struct parts parts = {.rows = 0};
    *b = (struct baseline_program){.stride = stride};
    recipe_begin(&parts.recipe, model, "the baseline", error);
    baseline_program_differentiate(&parts);
    baseline_program_compile(b, &parts);
    baseline_program_keep(b, &parts);
    node_matrix_release(&parts.jacobian);
    node_matrix_release(&parts.bracket);
    hn_status status = recipe_end(&parts.recipe);
    if (status != HN_OK)
        baseline_program_release(b);
    return status;
}

void baseline_program_release(struct baseline_program *b) {
    program_destroy(b->program);
    arena_release(&b->arena);
    *b = (struct baseline_program){.stride = 0};
}
