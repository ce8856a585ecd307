/* nearest_lanes.c - see nearest.h: creates the search, for lanes or for a single sample, and runs the searches of
 * core/.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 1
#include "base/elementary.h"
#include "base/lanes.h"
#include "base/layout.h"
#include "nearest/nearest.h"

#include <string.h>

#define NEAREST_AT_ONCE           LANES
#define NEAREST_AT(slots, offset) ((slots) + (offset))
#define NEAREST_ENDS(watch)       ((watch) && (watch)->ends((watch)->context))
#include "core/implicit_vjp.h"
#include "core/infeasibility_proof.h"
#include "core/search.h"

/* Puts the entries of the Hessian into the program, unless there are too many. */
static hn_status create_plan(struct nearest *n, const hn_model *model, const struct nearest_goal *goal, uint32_t stride,
                             hn_error *error) {
    hn_error own = {.status = HN_OK};
    hn_status status =
        goal->by_products ? HN_LIMIT : nearest_plan_create(&n->parts.plan, model, goal, NULL, stride, &own);
    if (status != HN_LIMIT) {
        if (status != HN_OK && error)
            *error = own;
        return status;
    }
    status = nearest_products_create(&n->parts.products, model, goal->optimal, goal->split, stride, error);
    return status == HN_OK ? nearest_plan_create(&n->parts.plan, model, goal, &n->parts.products, stride, error)
                           : status;
}

static size_t aligned(size_t bytes) {
    return (bytes + LAYOUT_ALIGNMENT - 1) / LAYOUT_ALIGNMENT * LAYOUT_ALIGNMENT;
}

hn_status nearest_create(struct nearest *n, const hn_model *model, const struct nearest_goal *goal,
                         hn_instructions instructions, bool alone, hn_error *error) {
    *n = (struct nearest){.bytes = 0};
    hn_status status = backend_choose(&n->backend, instructions, error);
    if (alone)
        n->backend = backend_single();
    if (status == HN_OK)
        status = create_plan(n, model, goal, alone ? 1 : LANES, error);
    if (status == HN_OK && !goal->split) /* split kinks have no gradients */
        status = nearest_inputs_create(&n->parts.by_inputs, model, goal->optimal, alone ? 1 : LANES, error);
    n->parts.products_at = aligned(n->parts.plan.bytes) / sizeof(double);
    n->parts.inputs_at = n->parts.products_at + aligned(n->parts.products.bytes) / sizeof(double);
    n->bytes = n->parts.inputs_at * sizeof(double) + n->parts.by_inputs.bytes;
    return status;
}

hn_status nearest_create_split(struct nearest *n, const hn_model *model, const struct nearest_goal *goal,
                               hn_instructions instructions, bool alone, hn_error *error) {
    hn_error own = {.status = HN_OK};
    hn_status status = nearest_create(n, model, goal, instructions, alone, &own);
    if (status == HN_OK && n->parts.plan.program)
        return HN_OK;
    nearest_release(n);
    n->bytes = 0;
    if (status == HN_OK || status == HN_LIMIT)
        return HN_OK;
    if (error)
        *error = own;
    return status;
}

void nearest_release(struct nearest *n) {
    nearest_plan_release(&n->parts.plan);
    nearest_products_release(&n->parts.products);
    nearest_inputs_release(&n->parts.by_inputs);
}

void nearest_begin(const struct nearest *n, double *memory) {
    nearest_plan_prepare(&n->parts.plan, memory);
    if (n->parts.products.program) {
        memset(memory + n->parts.products_at, 0, n->parts.products.bytes);
        program_prepare(n->parts.products.program, memory + n->parts.products_at);
    }
    if (n->parts.by_inputs.program)
        program_prepare(n->parts.by_inputs.program, memory + n->parts.inputs_at);
}

/* ---- running ---- */

void nearest_run(const struct nearest *n, double *memory, struct nearest_sample *samples, size_t count,
                 const struct nearest_watch *watch) {
    search_run(&n->backend, &n->parts, memory, samples, count, watch);
}

void nearest_prove(const struct nearest *n, double *memory, struct nearest_proof *samples, size_t count,
                   const struct nearest_watch *watch) {
    proof_run(&n->backend, &n->parts, memory, samples, count, watch);
}

void nearest_pull(const struct nearest *n, double *memory, struct nearest_pull *samples, size_t count) {
    pull_run(&n->backend, &n->parts, memory, samples, count);
}
