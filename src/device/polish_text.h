/* polish_text.h - float64 after float32: a sample that a kernel of floats has been through is judged by evaluations in double, and lm
 * and auto take a few more steps, in double, from where the floats have ended.
 *
 *     open    what came in is evaluated: if it holds, lm and auto return it as it is. Else y is what the floats have led to; outputs
 *             that they have not moved keep the digits that came in
 *     rounds  those of the method, as lane_text.h has them; paper and hardnet take none
 *     close   the verdict, as everywhere, from a fresh evaluation; steps of both count
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_POLISH_TEXT_H
#define HN_DEVICE_POLISH_TEXT_H

/* lm goes on with the eps that it had. */
static void polish_damp(struct lane *l) {
    struct sample *s = &l->drive.state;
    if (layer_options.method != HN_METHOD_LM || !s->chooses || !(l->first.damping > 0))
        return;
    s->eps = l->first.damping;
    s->growth = 2;
    s->limit = s->eps * SAMPLE_RANGE;
    s->chooses = false;
}

/* y, and with it the best iterate, is where the floats have ended. */
static void polish_take(struct lane *l, const struct device_call *call) {
    struct drive *d = &l->drive;
    double *y = d->point.slots + LAYER_Y, *led = l->before;
    lane_copy_once(call->led + l->sample * LAYER_OUTPUTS, led, LAYER_OUTPUTS);
    DEVICE_UNROLL_MANY
    for (uint32_t j = 0; j < LAYER_OUTPUTS; j++)
        y[j] = (double)(float)y[j] == led[j] ? y[j] : led[j];
    point_set_fixed(&d->point);
    lane_copy_once(y, d->point.slots + LAYER_BEST, LAYER_OUTPUTS);
    d->state.doing = SAMPLE_BEGINS;
    d->state.homed = false;
    polish_damp(l);
}

/* After y has taken what came in. */
static void polish_open(struct lane *l, const struct device_call *call) {
    struct drive *d = &l->drive;
    struct sample *s = &d->state;
    const struct sample_options o = layer_options;
    int most = o.iterations - POLISH_STEPS;
    l->first = call->first[l->sample];
    l->begun = s->iteration = s->begun = most > l->first.iterations ? most : l->first.iterations;
    l->kept = false;
    if (s->doing != SAMPLE_OPENS)
        return;
    drive_evaluate(d);
    drive_numbers(d, &l->numbers);
    sample_came_in(s, &o, &l->numbers);
    l->kept = LAYER_WEIGHTED && l->numbers.finite && l->numbers.measure <= layer_options.tolerance;
    if (l->first.unused != 0 && !l->kept) /* what is finite in double was too large for a float */
        lane_fall_back(l, call, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
    else if (!l->kept)
        polish_take(l, call);
}

/* paper and hardnet: the verdict is all there is. */
WIDE_INLINE bool polish_round(struct lane *l, double *slots) {
    (void)l;
    (void)slots;
    return false;
}

/* After the evaluation at y: why the steps came to an end. Floats that have done what they could say nothing about the steps after
 * them, and floats that have found more than that keep their word. */
static void polish_close(struct lane *l, const struct device_call *call) {
    struct sample *s = &l->drive.state;
    hn_outcome first = (hn_outcome)l->first.outcome;
    if (!LAYER_WEIGHTED && s->doing != SAMPLE_FALLS_BACK) {
        drive_numbers(&l->drive, &l->numbers);
        s->outcome = first == HN_OUTCOME_OK ? HN_OUTCOME_ITERATION_LIMIT : first;
    } else if (s->doing != SAMPLE_FALLS_BACK && s->outcome != HN_OUTCOME_LOCALLY_INFEASIBLE && first != HN_OUTCOME_OK &&
               first != HN_OUTCOME_STALLED)
        s->outcome = first;
    if (!call->first_heads || !(s->doing == SAMPLE_FALLS_BACK || l->kept))
        return;
    struct tape_head *head = &call->first_heads[l->sample]; /* nothing of what the floats did is left */
    head->way = s->doing == SAMPLE_FALLS_BACK ? TAPE_FALLBACK : TAPE_WHOLE;
    head->steps = head->attempt = 0;
}

/* Both together; what floats have done to a sample that is as it came in does not count. */
static void polish_report(const struct lane *l, struct device_report *out) {
    const struct sample *s = &l->drive.state;
    bool lost = l->kept || s->doing == SAMPLE_FALLS_BACK;
    int own = s->iteration - l->begun;
    out->iterations = l->kept ? 0 : l->first.iterations + own;
    out->steps = s->best_step + (lost || s->best_attempt > 0 ? 0 : l->first.steps);
    out->damping = own > 0 || lost ? out->damping : l->first.damping;
    out->slope = sample_is_finite(out->slope) || lost ? out->slope : l->first.slope;
}

#endif
