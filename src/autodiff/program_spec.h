/* program_spec.h - from a model to one program: requests results in order, compiles, and returns their offsets.
 *
 * Derivatives are added to a copy of the model's graph, lists of nodes are requested one after the other, then the
 * program is compiled with one phase each for x, for y, and for all other leaves. Offsets count doubles, in lists of
 * the caller's arena. After an error all functions do nothing; recipe_end returns the status. Nothing is evaluated
 * here.
 *
 *     recipe_begin(&recipe, model, error);
 *     recipe_jacobian(&recipe, &jacobian, SPACE_Y);
 *     size_t rows = recipe_ask_rows(&recipe), entries = recipe_ask_matrix(&recipe, &jacobian);
 *     program = recipe_compile(&recipe, stride, spaces, count);
 *     recipe_rows(&recipe, rows, &arena, &to_rows);  recipe_matrix(&recipe, &jacobian, entries, &arena, &to_matrix);
 *     status = recipe_end(&recipe);
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_PROGRAM_SPEC_H
#define HN_AUTODIFF_PROGRAM_SPEC_H

#include "autodiff/derivatives.h"
#include "autodiff/program.h"
#include "autodiff/program_layout.h"

struct recipe {
    struct problem problem;
    struct node_list nodes;
    struct program *program; /* owned by the caller after compilation */
    const char *subject;     /* for messages about memory: "the loss" */
    hn_status status;
    hn_error *error;
};

void recipe_begin(struct recipe *recipe, const hn_model *model, const char *subject, hn_error *error);

/* Returns the first error; releases the problem and the list. */
hn_status recipe_end(struct recipe *recipe);

/* ---- derivatives ---- */

/* dc/d(leaf of the space), for all rows; recipe_gradient: of the objective, as one row. */
void recipe_jacobian(struct recipe *recipe, struct node_matrix *out, enum space space);
void recipe_gradient(struct recipe *recipe, struct node_matrix *out, enum space space);

/* A block of the Hessian of the Lagrangian (derivatives.h). */
void recipe_hessian(struct recipe *recipe, struct node_matrix *out, enum space row_space, enum space column_space);

/* ---- requests; each returns the number of the list's first node ---- */

size_t recipe_ask(struct recipe *recipe, const uint32_t *nodes, size_t count);
size_t recipe_ask_matrix(struct recipe *recipe, const struct node_matrix *matrix);

/* Bodies, lower and upper bounds. */
size_t recipe_ask_rows(struct recipe *recipe);

/* NULL after an error. Leaves of SPACE_X, SPACE_Y and the listed others. */
struct program *recipe_compile(struct recipe *recipe, uint32_t stride, const enum space *others, size_t count);

/* The same with a phase for each of the other spaces: 1, the phase of y, or 2. */
struct program *recipe_compile_phases(struct recipe *recipe, uint32_t stride, const enum space *others,
                                      const uint8_t *phases, size_t count);

/* ---- offsets ---- */

uint32_t recipe_leaf(const struct recipe *recipe, enum space space);

/* Offsets of count nodes from begin on. */
uint32_t *recipe_places(struct recipe *recipe, size_t begin, size_t count, struct arena *arena);

void recipe_rows(struct recipe *recipe, size_t begin, struct arena *arena, struct row_places *to);
void recipe_matrix(struct recipe *recipe, const struct node_matrix *matrix, size_t begin, struct arena *arena,
                   struct matrix_places *to);

/* A matrix of one row as a dense vector: offsets by column, `zero` for missing entries. */
uint32_t *recipe_vector(struct recipe *recipe, const struct node_matrix *matrix, size_t begin, uint32_t zero,
                        struct arena *arena);

/* Memory from the arena; NULL, which recipe_end reports, when out of memory. */
void *recipe_take(struct recipe *recipe, struct arena *arena, size_t count, size_t size);

#endif
