/* nearest_solve.h - what search, proof and gradient have in common: the Hessian's entries, and solving with the plan's system. A text for the
 * processor and for a device.
 *
 * Whoever includes it says what lies so many numbers behind another (NEAREST_AT: nearest_rows.h), and what a struct backend is: kernels that
 * are called by its names.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_SOLVE_H
#define HN_CORE_NEAREST_SOLVE_H

#include "base/real.h"
#include "core/hessian_products.h"
#include "core/nearest_rows.h"

/* Vector UNKNOWN_*: its offset. */
SHARED_FUNCTION uint32_t nearest_vector(const struct nearest_plan *p, size_t which) {
    return (uint32_t)(p->by_unknowns + which * (p->outputs + p->rows) * p->stride);
}

/* Runs the program's last phase, and the products: the Hessian's entries. */
SHARED_FUNCTION void nearest_hessian(const struct backend *kernels, const struct nearest_parts *n, double *memory) {
    const struct nearest_plan *p = &n->plan;
    const struct product_places places = {memory, p->x, p->y, p->sigma, p->lambda, p->hessian};
    kernels->run(p->program, 2, memory);
    if (n->products.program)
        products_run(kernels, &n->products, NEAREST_AT(memory, n->products_at), &places);
}

/* With the system's factor, from UNKNOWN_RIGHT to the vector `to`: the solution, refined so many times. */
SHARED_FUNCTION void nearest_solve(const struct backend *kernels, const struct nearest_plan *p, double *memory,
                                   size_t to, int refinements) {
    uint32_t right = nearest_vector(p, UNKNOWN_RIGHT), rest = nearest_vector(p, UNKNOWN_REST);
    uint32_t step = nearest_vector(p, to);
    kernels->signed_solve(&p->system, memory, right, step);
    for (int k = 0; k < refinements; k++) {
        kernels->signed_residual(&p->system, memory, right, step, rest);
        kernels->signed_solve(&p->system, memory, rest, rest);
        kernels->add(memory, rest, step, p->system.order);
    }
}

/* Whether as many pivots are positive as there are outputs, and none is lost. */
SHARED_FUNCTION bool nearest_has_signs(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    return *view_slot(v, p->system.summary + (size_t)SIGNED_POSITIVE * p->stride) == (double)p->outputs &&
           *view_slot(v, p->system.summary + (size_t)SIGNED_LOST * p->stride) == 0;
}

#endif
