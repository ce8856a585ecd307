/* mixed_precision.h - double precision after float: a sample from a float kernel is evaluated in double, and lm and auto take a few
 * more steps in double from the result of the float kernel.
 *
 *     open     evaluates the raw output: if it is feasible, lm and auto return it unchanged. Else y is the
 *              result of the float kernel; outputs that it did not move keep the digits of the raw output
 *     rounds   iterations of the method; paper and hardnet take none
 *     close    the verdict of a fresh evaluation; steps of both precisions count
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_MIXED_PRECISION_H
#define HN_CUDA_MIXED_PRECISION_H

#include "core/solver_run.h"
#include "cuda/kernels/sample_io.h"

#ifdef DEVICE_POLISH

/* y = the result of the float kernel, except for outputs that it did not move. */
static void polish_lead(struct thread_state *l, const double *to) {
    real *y = point_at(&l->solver.point, LAYER_Y);
    DEVICE_ROLLED
    for (size_t j = 0; j < LAYER_OUTPUTS; j += THREAD_FEW) {
        real own[THREAD_FEW], led[THREAD_FEW];
        DEVICE_UNROLL
        for (size_t k = 0; k < THREAD_FEW; k++) {
            own[k] = y[point_index(j + k, LAYER_OUTPUTS) * SLOT_STRIDE];
            led[k] = to[point_index(j + k, LAYER_OUTPUTS)];
        }
        DEVICE_UNROLL
        for (size_t k = 0; k < THREAD_FEW; k++)
            if (j + k < LAYER_OUTPUTS)
                y[(j + k) * SLOT_STRIDE] = (real)(float)own[k] == led[k] ? own[k] : led[k];
    }
}

/* lm continues with the eps of the float kernel. */
static void polish_damp(struct thread_state *l) {
    struct sample *s = &l->solver.state;
    const struct device_report *first = &l->polish.first;
    if (layer_options.method != HN_METHOD_LM || !s->chooses || !(first->damping > 0))
        return;
    s->eps = first->damping;
    s->growth = 2;
    s->limit = s->eps * SAMPLE_RANGE;
    s->chooses = false;
}

/* Starts at the result of the float kernel, which is also the best iterate. */
static void polish_take(struct thread_state *l, const struct device_call *call) {
    struct solver *d = &l->solver;
    polish_lead(l, call->led + l->sample * LAYER_OUTPUTS);
    point_set_fixed(&d->point);
    solver_copy_slots(d, LAYER_Y, LAYER_BEST);
    d->state.phase = PHASE_START;
    d->state.homed = false;
    polish_damp(l);
}

/* After y is set to the raw output. */
static void polish_open(struct thread_state *l, const struct device_call *call) {
    struct solver *d = &l->solver;
    struct sample *s = &d->state;
    struct polish *own = &l->polish;
    const struct sample_options o = layer_options;
    const struct sample_numbers *n = &d->numbers;
    int most = o.iterations - POLISH_STEPS;
    own->first = call->first[l->sample];
    own->begun = s->iteration = s->begun = most > own->first.iterations ? most : own->first.iterations;
    own->kept = false;
    if (s->phase != PHASE_NEW)
        return;
    solver_evaluate(d);
    solver_numbers(d);
    sample_came_in(s, &o, n);
    own->kept = LAYER_WEIGHTED && n->finite && n->measure <= layer_options.tolerance;
    if (own->first.unused != 0 && !own->kept) /* finite in double, but it overflowed in float */
        solver_fall_back(d, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
    else if (!own->kept)
        polish_take(l, call);
}

/* After the evaluation at y: the outcome. If the float kernel ended with ok or stalled, the double steps decide; other
 * outcomes stay. */
static void polish_close(struct thread_state *l, const struct device_call *call) {
    struct sample *s = &l->solver.state;
    hn_outcome first = (hn_outcome)l->polish.first.outcome;
    if (!LAYER_WEIGHTED && s->phase != PHASE_FALLBACK) {
        solver_numbers(&l->solver);
        s->outcome = first == HN_OUTCOME_OK ? HN_OUTCOME_ITERATION_LIMIT : first;
    } else if (s->phase != PHASE_FALLBACK && s->outcome != HN_OUTCOME_LOCALLY_INFEASIBLE && first != HN_OUTCOME_OK &&
               first != HN_OUTCOME_STALLED)
        s->outcome = first;
    if (!call->first_heads || !(s->phase == PHASE_FALLBACK || l->polish.kept))
        return;
    struct tape_head *head = &call->first_heads[l->sample]; /* the float steps are discarded */
    head->way = s->phase == PHASE_FALLBACK ? TAPE_FALLBACK : TAPE_WHOLE;
    head->steps = head->attempt = 0;
}

/* Adds the counts of the float kernel, unless its steps are discarded. */
static void polish_report(const struct thread_state *l, struct device_report *out) {
    const struct sample *s = &l->solver.state;
    const struct device_report *first = &l->polish.first;
    bool lost = l->polish.kept || s->phase == PHASE_FALLBACK;
    int own = s->iteration - l->polish.begun;
    out->iterations = l->polish.kept ? 0 : first->iterations + own;
    out->steps = s->best_step + (lost || s->best_attempt > 0 ? 0 : first->steps);
    out->damping = own > 0 || lost ? out->damping : first->damping;
    out->slope = sample_is_finite(out->slope) || lost ? out->slope : first->slope;
}

#endif

#endif
