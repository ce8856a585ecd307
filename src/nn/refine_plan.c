/* refine_plan.c - see refine_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/refine_plan.h"

#include "autodiff/program_spec.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

struct parts {
    struct recipe recipe;
    struct node_matrix jacobian, gradient, hessian; /* of c; of f; lower triangle, of the Lagrangian */
    size_t rows, entries, slopes, curvatures;       /* indices of their first nodes */
};

/* ---- building ---- */

static void refine_plan_differentiate(struct parts *parts) {
    struct recipe *recipe = &parts->recipe;
    if (recipe->status == HN_OK && recipe->problem.objective == 0)
        recipe->status = error_about(recipe->error, HN_INVALID, error_argument("model"),
                                     "the model has no objective; refinement needs one");
    recipe_jacobian(recipe, &parts->jacobian, SPACE_Y);
    recipe_gradient(recipe, &parts->gradient, SPACE_Y);
    recipe_hessian(recipe, &parts->hessian, SPACE_Y, SPACE_Y);
}

/* Index of entry (i, i) of the Hessian; SIZE_MAX: it is 0. */
static size_t diagonal_entry(const struct node_matrix *hessian, size_t i) {
    for (size_t e = hessian->first[i]; e < hessian->first[i + 1]; e++)
        if (hessian->column[e] == i)
            return e;
    return SIZE_MAX;
}

static void refine_plan_compile(struct refine_plan *r, struct parts *parts) {
    static const enum space others[] = {SPACE_SIGMA, SPACE_LAMBDA};
    struct recipe *recipe = &parts->recipe;
    parts->rows = recipe_ask_rows(recipe);
    parts->entries = recipe_ask_matrix(recipe, &parts->jacobian);
    parts->slopes = recipe_ask_matrix(recipe, &parts->gradient);
    parts->curvatures = recipe->nodes.count;
    for (size_t i = 0; recipe->status == HN_OK && i < recipe->problem.outputs; i++)
        if (diagonal_entry(&parts->hessian, i) != SIZE_MAX)
            recipe_ask(recipe, &parts->hessian.node[diagonal_entry(&parts->hessian, i)], 1);
    r->program = recipe_compile(recipe, r->stride, others, 2);
    r->inputs = recipe->problem.inputs;
    r->outputs = recipe->problem.outputs;
    r->rows = recipe->problem.rows;
    r->entries = parts->jacobian.count;
}

/* Offsets of gradient and curvature by column; entries that are structurally 0 use a zero slot after the program's
 * slots. */
static void keep_objective(struct refine_plan *r, struct parts *parts) {
    uint32_t zero = (uint32_t)(r->program->slots * r->stride);
    size_t next = parts->curvatures;
    r->places.task.gradient = recipe_vector(&parts->recipe, &parts->gradient, parts->slopes, zero, &r->arena);
    uint32_t *curvature = recipe_take(&parts->recipe, &r->arena, r->outputs + 1, sizeof *curvature);
    for (size_t i = 0; curvature && i < r->outputs; i++) {
        bool there = diagonal_entry(&parts->hessian, i) != SIZE_MAX;
        curvature[i] = there ? r->program->output_slot[next++] * r->stride : zero;
    }
    r->places.curvature = curvature;
}

static void refine_plan_keep(struct refine_plan *r, struct parts *parts) {
    struct recipe *recipe = &parts->recipe;
    struct refine_places *places = &r->places;
    struct row_places rows;
    struct matrix_places jacobian;
    if (!r->program)
        return;
    places->x = recipe_leaf(recipe, SPACE_X);
    places->y = recipe_leaf(recipe, SPACE_Y);
    places->sigma = recipe_leaf(recipe, SPACE_SIGMA);
    places->lambda = recipe_leaf(recipe, SPACE_LAMBDA);
    recipe_rows(recipe, parts->rows, &r->arena, &rows);
    recipe_matrix(recipe, &parts->jacobian, parts->entries, &r->arena, &jacobian);
    places->task = (struct barrier_task){.rows = r->rows,
                                         .columns = r->outputs,
                                         .value = rows.value,
                                         .lower = rows.lower,
                                         .upper = rows.upper,
                                         .first = jacobian.first,
                                         .column = jacobian.column,
                                         .entry = jacobian.entry};
    bool *fixed = recipe_take(recipe, &r->arena, r->outputs + 1, sizeof *fixed);
    for (size_t j = 0; fixed && j < r->outputs; j++)
        fixed[j] = recipe->problem.fixed[j] != 0;
    places->fixed = fixed;
    keep_objective(r, parts);
}

static uint32_t refine_plan_take(struct refine_plan *r, size_t count) {
    size_t offset = r->slots * r->stride;
    r->slots += count;
    return (uint32_t)offset;
}

static void refine_plan_place(struct refine_plan *r) {
    struct refine_places *places = &r->places;
    struct barrier_task *task = &places->task;
    r->slots = r->program->slots + 1; /* one for the zero of keep_objective */
    places->program = r->program;
    places->inputs = r->inputs;
    task->matrix = refine_plan_take(r, r->entries);
    task->shift = refine_plan_take(r, r->rows);
    task->by_rows = refine_plan_take(r, BARRIER_ROWS * r->rows);
    task->by_columns = refine_plan_take(r, BARRIER_COLUMNS * r->outputs);
    task->summary = refine_plan_take(r, BARRIER_SUMMARY);
    places->own = refine_plan_take(r, r->outputs);
}

static hn_status create_system(struct refine_plan *r, hn_error *error) {
    const struct barrier_task *task = &r->places.task;
    size_t capacity = 0;
    refine_plan_place(r);
    uint32_t *offsets = array_grow(NULL, &capacity, r->entries + 1, sizeof *offsets);
    bool *equality = arena_take(&r->arena, r->rows + 1, sizeof *equality);
    if (!offsets || !equality) {
        base_release(offsets);
        return error_no_memory(error, "refinement");
    }
    for (size_t e = 0; e < r->entries; e++)
        offsets[e] = (uint32_t)(task->matrix + e * r->stride);
    for (size_t i = 0; i < r->rows; i++)
        equality[i] = task->lower[i] == task->upper[i];
    const struct damped_request request = {
        .matrix = {r->rows, r->outputs, r->stride, task->first, task->column, offsets, NULL},
        .rows_side_only = true,
        .fixed_shift = NAN,
        .shift = task->shift,
        .storage = (uint32_t)(r->slots * r->stride),
        .may_border = true,
        .undamped = equality,
    };
    hn_status status = damped_create(&r->places.system, &request, error);
    base_release(offsets);
    r->slots += r->places.system.slots;
    r->bytes = r->slots * r->stride * sizeof(double);
    return status;
}

hn_status refine_plan_create(struct refine_plan *r, const hn_model *model, uint32_t stride, hn_error *error) {
    struct parts parts = {.rows = 0};
    *r = (struct refine_plan){.stride = stride};
    recipe_begin(&parts.recipe, model, "refinement", error);
    refine_plan_differentiate(&parts);
    refine_plan_compile(r, &parts);
    refine_plan_keep(r, &parts);
    node_matrix_release(&parts.jacobian);
    node_matrix_release(&parts.gradient);
    node_matrix_release(&parts.hessian);
    hn_status status = recipe_end(&parts.recipe);
    if (status == HN_OK)
        status = create_system(r, error);
    if (status != HN_OK)
        refine_plan_release(r);
    return status;
}

void refine_plan_release(struct refine_plan *r) {
    program_destroy(r->program);
    damped_release(&r->places.system);
    arena_release(&r->arena);
    *r = (struct refine_plan){.inputs = 0};
}

void refine_plan_prepare(const struct refine_plan *r, double *memory) {
    const struct damped *system = &r->places.system;
    memset(memory, 0, r->bytes);
    program_prepare(r->program, memory);
    for (size_t i = 0; i < system->constant_count; i++)
        for (size_t lane = 0; lane < r->stride; lane++)
            memory[system->constants[i].offset + lane] = system->constants[i].value;
}
