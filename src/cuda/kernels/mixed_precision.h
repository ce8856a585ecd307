/* mixed_precision.h - float64 after float32: a sample that a kernel of floats has been through is judged by evaluations in double, and lm
 * and auto take a few more steps, in double, from where the floats have ended.
 *
 *     open    what came in is evaluated: if it holds, lm and auto return it as it is. Else y is what the floats have led to; outputs
 *             that they have not moved keep the digits that came in
 *     rounds  those of the method, as kernel_registers.h and kernel_global.h have them; paper and hardnet take none
 *     close   the verdict, as everywhere, from a fresh evaluation; steps of both count
 *
 * `polished` is what a thread has of its sample, in either form; its polish_lead and polish_keep copy outputs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_MIXED_PRECISION_H
#define HN_CUDA_MIXED_PRECISION_H

#include "cuda/kernels/sample_io.h"

/* lm goes on with the eps that it had. */
static void polish_damp(polished *l) {
    struct sample *s = &l->solver.state;
    const struct device_report *first = &l->polish.first;
    if (layer_options.method != HN_METHOD_LM || !s->chooses || !(first->damping > 0))
        return;
    s->eps = first->damping;
    s->growth = 2;
    s->limit = s->eps * SAMPLE_RANGE;
    s->chooses = false;
}

/* y, and with it the best iterate, is where the floats have ended. */
static void polish_take(polished *l, const struct device_call *call) {
    struct solver *d = &l->solver;
    polish_lead(l, call->led + l->sample * LAYER_OUTPUTS);
    point_set_fixed(&d->point);
    polish_keep(l);
    d->state.phase = PHASE_START;
    d->state.homed = false;
    polish_damp(l);
}

/* After y has taken what came in. */
static void polish_open(polished *l, const struct device_call *call) {
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
    if (own->first.unused != 0 && !own->kept) /* what is finite in double was too large for a float */
        solver_fall_back(d, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
    else if (!own->kept)
        polish_take(l, call);
}

/* After the evaluation at y: why the steps came to an end. Floats that have done what they could say nothing about the steps after
 * them, and floats that have found more than that keep their word. */
static void polish_close(polished *l, const struct device_call *call) {
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
    struct tape_head *head = &call->first_heads[l->sample]; /* nothing of what the floats did is left */
    head->way = s->phase == PHASE_FALLBACK ? TAPE_FALLBACK : TAPE_WHOLE;
    head->steps = head->attempt = 0;
}

/* Both together; what floats have done to a sample that is as it came in does not count. */
static void polish_report(const polished *l, struct device_report *out) {
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
