/* hessian_products.h - the entries of the Hessian by products with it: see nearest_products.h. A text for the processor and for a device:
 * nearest_rows.h says what whoever includes it brings, and what a struct backend is: kernels that are called by its names.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_HESSIAN_PRODUCTS_H
#define HN_CORE_HESSIAN_PRODUCTS_H

#include "base/real.h"
#include "core/nearest_layout.h"

/* count slots of all samples side by side */
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

/* All entries for all samples side by side. own: memory of p->bytes, in which the program's constants are. */
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

#endif
