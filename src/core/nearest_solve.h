/* nearest_solve.h - shared by search, proof and gradient: the entries of the Hessian, and solutions of the plan's
 * system. Part of search.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_SOLVE_H
#define HN_CORE_NEAREST_SOLVE_H

#include "base/real.h"
#include "core/nearest_rows.h"

/* ---- entries of the Hessian from products with it: nearest_products.h ---- */

/* count slots of all samples */
SHARED_FUNCTION void products_copy(const struct nearest_products *p, double *to, const double *from, size_t count) {
    for (size_t k = 0; k < count * p->stride; k++)
        *NEAREST_AT(to, k) = *NEAREST_AT(from, k);
}

SHARED_FUNCTION void products_turn(const struct nearest_products *p, double *own, size_t group, double value) {
    for (size_t at = p->group_first[group]; at < p->group_first[group + 1]; at++)
        for (size_t lane = 0; lane < p->stride; lane++)
            *NEAREST_AT(own, p->t + p->member[at] * p->stride + lane) = value;
}

SHARED_FUNCTION void products_load(const struct nearest_products *p, double *own, const struct product_places *places) {
    products_copy(p, NEAREST_AT(own, p->x), NEAREST_AT(places->memory, places->x), p->inputs);
    products_copy(p, NEAREST_AT(own, p->y), NEAREST_AT(places->memory, places->y), p->outputs);
    products_copy(p, NEAREST_AT(own, p->lambda), NEAREST_AT(places->memory, places->lambda), p->rows);
    if (p->objective)
        products_copy(p, NEAREST_AT(own, p->sigma), NEAREST_AT(places->memory, places->sigma), 1);
    for (size_t k = 0; k < p->outputs * p->stride; k++)
        *NEAREST_AT(own, p->t + k) = 0;
}

/* All entries for all samples. own: p->bytes of memory with the program's constants. */
SHARED_FUNCTION void products_run(const struct backend *kernels, const struct nearest_products *p, double *own,
                                  const struct product_places *places) {
    double *to = NEAREST_AT(places->memory, places->entries);
    products_load(p, own, places);
    kernels->run(p->program, 0, own);
    kernels->run(p->program, 1, own);
    for (size_t g = 0; g < p->groups; g++) {
        products_turn(p, own, g, 1);
        kernels->run(p->program, 2, own);
        for (size_t e = p->entry_first[g]; e < p->entry_first[g + 1]; e++)
            products_copy(p, NEAREST_AT(to, (size_t)p->entries[e].entry * p->stride),
                          NEAREST_AT(own, p->result[p->entries[e].row]), 1);
        products_turn(p, own, g, 0);
    }
}

/* ---- the system ---- */

/* Offset of a vector UNKNOWN_*. */
SHARED_FUNCTION uint32_t nearest_vector(const struct nearest_plan *p, size_t which) {
    return (uint32_t)(p->by_unknowns + which * (p->outputs + p->rows) * p->stride);
}

SHARED_FUNCTION void nearest_evaluate(const struct nearest_group *g, int phase) {
    g->kernels->run(g->n->plan.program, phase, g->memory);
}

/* Runs the program's last phase, and the products: the Hessian's entries. */
SHARED_FUNCTION void nearest_hessian(const struct nearest_group *g) {
    const struct nearest_plan *p = &g->n->plan;
    const struct product_places places = {g->memory, p->x, p->y, p->sigma, p->lambda, p->hessian};
    nearest_evaluate(g, 2);
    if (g->n->products.program)
        products_run(g->kernels, &g->n->products, NEAREST_AT(g->memory, g->n->products_at), &places);
}

/* Solves for UNKNOWN_RIGHT with the system's factor and iterative refinement; the solution goes to the vector `to`. */
SHARED_FUNCTION void nearest_solve(const struct nearest_group *g, size_t to, int refinements) {
    const struct nearest_plan *p = &g->n->plan;
    uint32_t right = nearest_vector(p, UNKNOWN_RIGHT), rest = nearest_vector(p, UNKNOWN_REST);
    uint32_t step = nearest_vector(p, to);
    g->kernels->signed_solve(&p->system, g->memory, right, step);
    for (int k = 0; k < refinements; k++) {
        g->kernels->signed_residual(&p->system, g->memory, right, step, rest);
        g->kernels->signed_solve(&p->system, g->memory, rest, rest);
        g->kernels->add(g->memory, rest, step, p->system.order);
    }
}

SHARED_FUNCTION void nearest_factor(const struct nearest_group *g) {
    g->kernels->signed_factor(&g->n->plan.system, g->memory);
}

/* Whether the matrix has as many positive pivots as outputs, and no pivot is lost to rounding. */
SHARED_FUNCTION bool nearest_has_signs(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    return *view_slot(v, p->system.summary + (size_t)SIGNED_POSITIVE * p->stride) == (double)p->outputs &&
           *view_slot(v, p->system.summary + (size_t)SIGNED_LOST * p->stride) == 0;
}

#endif
