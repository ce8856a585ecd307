/* solver_search.h - the methods nearest and optimal: the stages after auto's steps (solver.h with SOLVER_SEARCHES).
 *
 *     affine constraints   before any step: an active-set method (active_set.h) on the sample at its raw output
 *     ok                   a search from auto's y (search.h), and a second one with kinks split; a result that violates a constraint in
 *                          the executor's evaluation is withdrawn, and auto's y is returned without certificate
 *     locally infeasible   multipliers that certify it, at auto's y or at the point where its steps stalled
 *
 * The functions here decide and report; an executor runs the searches: layer/search.c for all lanes together, cuda/kernels/nearest_kernel.h
 * for one thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_SEARCH_H
#define HN_CORE_SOLVER_SEARCH_H

#include "base/real.h"
#include "core/nearest_layout.h"
#include "core/nearest_state.h"
#include "core/solver.h"

#define SEARCH_PROVEN 1e-6 /* times 1 / max(1, |y|): certificates with a larger residual are weak */

/* The dependence of y on the input: the first number of a sample's part of the tape, before its multipliers. */
enum { TAPE_BY_STEPS, TAPE_CERTIFIED, TAPE_ELSEWHERE };

struct solver_search {
    double *raw;                               /* outputs: the raw output, fixed outputs at their values */
    double *stepped;                           /* outputs: auto's y */
    double *found;                             /* outputs: the result; before, the point where auto's steps stalled */
    double *multipliers, *stalled_multipliers; /* rows: at `found` or `stepped`; at the point where steps stalled */
    const double *weights;                     /* outputs: S of the distance, or NULL */
    struct nearest_sample sample;              /* the result; .multipliers are returned */
    double least_slope;                        /* smallest slope at which steps stalled; infinite: none did */
    double proof;                              /* residual of the certificate of infeasibility */
    bool tried, solved;                        /* the active-set method ran; it found the result */
    bool lost;                                 /* auto ended locally infeasible */
    bool searched;                             /* `sample` or `proof` is the result of a search */
    bool split;                                /* certified by the search with kinks split */
    bool optimal, maximizes;                   /* the goal is the model's objective, which is maximized */
};

/* ---- start of a sample ---- */

SHARED_FUNCTION void search_load(struct solver_search *s) {
    s->tried = s->solved = s->lost = s->searched = s->split = false;
    s->sample.moved = false;
    s->sample.reason = NEAREST_CERTIFIED;
    s->sample.multipliers = s->multipliers;
    s->least_slope = s->proof = REAL_INFINITY;
}

/* Steps stalled at the base: keeps it if its slope is the smallest so far. */
SHARED_FUNCTION void solver_search_stalled(struct solver *d, const struct sample_slope *slope) {
    struct solver_search *s = d->search;
    double scale = slope->entries * slope->squares;
    if (!s || !(sample_is_finite(scale) && scale > 0 && slope->slope < s->least_slope * scale))
        return;
    s->least_slope = slope->slope / scale;
    point_read(&d->point, POINT_PLAN(&d->point)->base, POINT_PLAN(&d->point)->outputs, s->found);
}

/* Keeps the raw output and the y in these slots for the search. */
SHARED_FUNCTION void search_set_aside(struct solver *d, uint32_t y) {
    const struct plan *plan = POINT_PLAN(&d->point);
    struct solver_search *s = d->search;
    const uint32_t *fixed = plan_words(plan, plan->fixed.slot), *output = plan_words(plan, plan->fixed.entry);
    SHARED_LOOP
    for (size_t j = 0; j < plan->outputs; j++)
        s->raw[j] = solver_raw(d, j);
    SHARED_LOOP
    for (size_t i = 0; i < plan->fixed.slot.count; i++)
        s->raw[output[i]] = *point_at(&d->point, fixed[i]);
    point_read(&d->point, y, plan->outputs, s->stepped);
}

/* ---- affine constraints: the active-set method, before any step ---- */

/* After the evaluation of the raw output. */
SHARED_FUNCTION bool search_may_try(const struct solver *d) {
    return !d->search->tried && d->numbers.finite && SOLVER_OPTIONS(d)->iterations > 0;
}

/* Its sample; rows: 3 vectors, which receive c, bl and bu. */
SHARED_FUNCTION struct affine_sample search_affine_sample(const struct solver *d, double *rows) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct plan_list lists[3] = {plan->value, plan->lower, plan->upper};
    const struct solver_search *s = d->search;
    struct affine_sample sample = {
        s->stepped, 0, rows, rows + plan->rows, rows + 2 * (size_t)plan->rows, s->found, s->multipliers, 0, 0, 0};
    SHARED_LOOP
    for (size_t k = 0; k < 3; k++) {
        SHARED_LOOP
        for (size_t i = 0; i < plan->rows; i++)
            *rows++ = *point_at(&d->point, plan_words(plan, lists[k])[i]);
    }
    return sample;
}

/* ---- the search ---- */

SHARED_FUNCTION bool search_may_split(const struct solver_search *s) {
    return s->sample.kkt > NEAREST_ENOUGH && s->sample.reason != NEAREST_UNBOUNDED &&
           s->sample.reason != NEAREST_STOPPED;
}

/* Adopts the result of the search with kinks split, which started from that of the first. */
SHARED_FUNCTION void search_take_split(struct solver_search *s, const struct nearest_sample *second) {
    struct nearest_sample *first = &s->sample;
    s->split = second->kkt <= NEAREST_ENOUGH;
    first->kkt = second->kkt;
    first->objective = second->objective;
    first->moved = first->moved || second->moved;
    first->reason = s->split || second->reason == NEAREST_STOPPED ? second->reason : first->reason;
    first->programmes += second->programmes;
    first->factorisations += second->factorisations;
}

/* The executor's evaluation of the result found a violation. */
SHARED_FUNCTION void search_withdraw(struct solver_search *s, size_t rows) {
    s->sample.reason = s->sample.kkt <= NEAREST_ENOUGH ? (int)NEAREST_NOT_CONFIRMED : s->sample.reason;
    s->sample.kkt = REAL_INFINITY;
    s->sample.objective = s->sample.before;
    s->sample.moved = s->split = false;
    SHARED_LOOP
    for (size_t i = 0; i < rows; i++)
        s->multipliers[i] = 0;
}

/* ---- certificates of local infeasibility ---- */

/* Whether to compute a second certificate, where steps stalled; rest: the residual of the one at auto's y. */
SHARED_FUNCTION bool search_tries_stalled(const struct solver_search *s, size_t outputs, double rest) {
    double size = 1;
    SHARED_LOOP
    for (size_t j = 0; j < outputs; j++)
        size = sample_greater(size, point_abs(s->stepped[j]));
    return sample_is_finite(s->least_slope) && !(rest * size <= SEARCH_PROVEN);
}

/* Chooses the certificate with the smaller residual; its point goes to `found`. */
SHARED_FUNCTION void search_choose_proof(struct solver_search *s, size_t outputs, double at_stepped,
                                         double at_stalled) {
    bool stalled = at_stalled < at_stepped;
    s->proof = stalled ? at_stalled : at_stepped;
    s->sample.multipliers = stalled ? s->stalled_multipliers : s->multipliers;
    SHARED_LOOP
    for (size_t j = 0; !stalled && j < outputs; j++)
        s->found[j] = s->stepped[j];
}

/* ---- the report ---- */

/* The largest product of a multiplier and the distance to its bound. */
SHARED_FUNCTION double search_complementarity(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const uint32_t *value = plan_words(plan, plan->value);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    double worst = 0;
    if (!sample_is_finite(d->search->sample.kkt))
        return REAL_INFINITY;
    SHARED_LOOP
    for (size_t i = 0; i < plan->rows; i++) {
        double l = d->search->sample.multipliers[i], c = *point_at(p, value[i]);
        double bl = *point_at(p, lower[i]), bu = *point_at(p, upper[i]);
        if (l != 0 && bl != bu)
            worst = sample_greater(worst, l > 0 ? l * (c - bl) : l * (c - bu));
    }
    return worst;
}

#ifndef SOLVER_REASON /* the type of a report's reason */
#define SOLVER_REASON int
#endif

/* After solver_fill_report. */
SHARED_FUNCTION void search_fill_report(const struct solver *d, uint32_t y, SOLVER_REPORT *out) {
    const struct solver_search *s = d->search;
    double f = s->sample.objective;
    bool found = s->searched && !s->lost;
    out->kkt = found ? s->sample.kkt : REAL_INFINITY;
    out->reason = (SOLVER_REASON)(found ? s->sample.reason : (int)NEAREST_CERTIFIED);
    out->complementarity = found ? search_complementarity(d) : REAL_INFINITY;
    out->objective = !found || !s->optimal || f != f ? REAL_INFINITY : s->maximizes ? -f : f;
    out->programmes = found ? (size_t)s->sample.programmes : 0;
    out->factorisations = found ? (size_t)s->sample.factorisations : 0;
    out->proof = s->proof;
    out->distance = s->weights ? solver_distance(d, y, s->weights) : out->moved;
}

/* The sample's numbers on the tape: TAPE_*, then the multipliers of a certified sample, whose gradient is that of the solution. */
SHARED_FUNCTION void search_write_tape(const struct solver *d, double *numbers) {
    const struct solver_search *s = d->search;
    bool found = s->searched && !s->lost;
    bool certified = found && s->sample.kkt <= NEAREST_ENOUGH && !s->split;
    bool elsewhere = found && (s->split || s->sample.moved);
    numbers[0] = certified ? TAPE_CERTIFIED : elsewhere ? TAPE_ELSEWHERE : TAPE_BY_STEPS;
    SHARED_LOOP
    for (size_t i = 0; i < POINT_PLAN(&d->point)->rows; i++)
        numbers[1 + i] = certified ? s->sample.multipliers[i] : 0;
}

SHARED_FUNCTION void search_write_multipliers(const struct solver *d, double *to) {
    bool known = d->search->searched && d->state.phase != PHASE_FALLBACK;
    SHARED_LOOP
    for (size_t i = 0; i < POINT_PLAN(&d->point)->rows; i++)
        to[i] = known ? d->search->sample.multipliers[i] : 0;
}

/* The point at which the multipliers certify local infeasibility; the returned y, in these slots, for other samples. */
SHARED_FUNCTION void search_write_proof_point(const struct solver *d, uint32_t y, double *to) {
    const struct solver_search *s = d->search;
    SHARED_LOOP
    for (size_t j = 0; j < POINT_PLAN(&d->point)->outputs; j++)
        to[j] = s->searched && s->lost ? s->found[j] : *point_at(&d->point, y + (uint32_t)j);
}

#endif
