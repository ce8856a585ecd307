/* far_text.h - one thread of a device and the samples that it takes, where their slots lie in the device's memory: what lane_text.h is
 * for slots of a thread's own, with the driver of an emitted file (emit/drive_text.h) throughout.
 *
 *     open      x and the raw output come in; what depends on x only is evaluated
 *     evaluate, decide, move   a round: threads of a warp go through each of the three together
 *     close     a fresh evaluation at y, the verdict, the report
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_FAR_TEXT_H
#define HN_DEVICE_FAR_TEXT_H

struct far {
    struct drive drive;
    struct drive_tape tape;
    struct sample_numbers numbers; /* of the last evaluation */
    uint64_t sample;               /* its number in the batch */
};

/* ---- the sample comes in ---- */

/* Numbers of a tape lie side by side with those of the other samples, or one sample's tape behind the other's. */
static void far_take_tape(struct far *f, const struct device_call *call) {
    uint64_t apart = call->tape_width == 1 ? call->tape_room : 1;
    f->drive.tape = call->heads ? &f->tape : 0;
    if (!call->heads)
        return;
    f->tape.eps = call->tape_eps + f->sample * apart;
    f->tape.kind = call->tape_kind + f->sample * apart;
    f->tape.iterate = call->tape_y + f->sample * (call->tape_width == 1 ? apart * f->drive.plan->outputs : apart);
    f->tape.room = call->tape_room;
    f->tape.width = call->tape_width;
}

static const full *far_row(const full *rows, bool repeats, uint64_t sample, uint32_t width) {
    return rows ? rows + (repeats ? 0 : sample * width) : rows;
}

static void far_fall_back(struct far *f, const struct device_call *call, hn_outcome outcome, size_t culprit) {
    struct drive *d = &f->drive;
    d->culprit = culprit;
    sample_fall_back(&d->state, outcome);
    if (call->fallback)
        point_write(&d->point, d->plan->y, d->plan->outputs, call->fallback);
    else
        point_fall_back(&d->point);
}

/* y = the raw output or the start values, unless they or x or the bounds are of no use. */
static void far_take(struct far *f, const struct device_call *call) {
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    size_t culprit = 0;
    if (d->raw)
        point_write(&d->point, plan->y, plan->outputs, d->raw);
    else
        point_start(&d->point);
    if (!point_finite(&d->point, plan->x, plan->inputs, &culprit))
        far_fall_back(f, call, HN_OUTCOME_NONFINITE_INPUT, culprit);
    else if (d->raw && !point_finite(&d->point, plan->y, plan->outputs, &culprit))
        far_fall_back(f, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    else if (point_bad_bounds(&d->point, &culprit))
        far_fall_back(f, call, HN_OUTCOME_BAD_BOUNDS, culprit);
}

/* After what depends on x only was evaluated. */
static void far_place(struct far *f, const struct device_call *call) {
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    size_t culprit = 0;
    far_take(f, call);
    if (!point_set_fixed(&d->point) && d->state.doing == SAMPLE_OPENS) {
        far_fall_back(f, call, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&d->point);
    }
    bool starts = d->state.doing == SAMPLE_OPENS && !d->raw;
    if (starts && !point_finite(&d->point, plan->y, plan->outputs, &culprit)) /* a start that x drives away */
        far_fall_back(f, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    if (d->options->usual > 0 && d->state.doing == SAMPLE_OPENS && point_is_start(&d->point))
        sample_is_home(&d->state);
    drive_take_slots(d, plan->y, plan->best);
    if (plan->raw != plan->best)
        drive_take_slots(d, plan->y, plan->raw);
    drive_flag(d, plan->summary + SUMMARY_USABLE, true);
}

static GENERATED void far_open(struct far *f, const struct device_call *call, uint64_t sample) {
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    f->sample = sample;
    far_take_tape(f, call);
    d->x = far_row(call->x, call->repeats_x != 0, sample, plan->inputs);
    d->raw = far_row(call->raw, call->repeats_raw != 0, sample, plan->outputs);
    d->warm = call->warm ? call->warm + sample * plan->outputs : 0;
    d->culprit = SIZE_MAX;
    sample_open(&d->state, d->options);
    point_write(&d->point, plan->x, plan->inputs, d->x);
    entry_prepare(d->point.slots);
    far_place(f, call);
    if (!d->warm)
        return;
    drive_evaluate(d);
    drive_warm(d);
}

/* ---- a round ---- */

static GENERATED void far_evaluate(struct far *f) {
    drive_evaluate(&f->drive);
}

/* False: the sample has ended. */
static GENERATED bool far_decide(struct far *f) {
    return !drive_decide(&f->drive, &f->numbers);
}

static GENERATED void far_move(struct far *f) {
    drive_move(&f->drive);
}

/* ---- the end ---- */

static void far_read_raw(const struct far *f, double *to) {
    const struct drive *d = &f->drive;
    const uint32_t *start = plan_words(d->plan, d->plan->start);
    for (uint32_t j = 0; j < d->plan->outputs; j++)
        to[j] = d->raw ? d->raw[j] : *point_at(&d->point, start[j]);
}

/* |y - raw|; see layer/finish_sample.c. */
static double far_moved(const struct far *f, double *from) {
    const struct point *p = &f->drive.point;
    const struct plan *plan = f->drive.plan;
    double scale = 0, sum = 0;
    size_t unused;
    far_read_raw(f, from);
    if (f->drive.raw && !drive_finite(from, plan->outputs, &unused))
        return HUGE_VAL;
    for (uint32_t j = 0; j < plan->outputs; j++)
        scale = sample_greater(scale, point_abs(from[j] - *point_at(p, plan->y + j)));
    if (!sample_is_finite(scale))
        return HUGE_VAL;
    for (uint32_t j = 0; j < plan->outputs && scale > 0; j++) {
        double part = (from[j] - *point_at(p, plan->y + j)) / scale;
        sum += part * part;
    }
    return scale * sqrt(sum);
}

static void far_report(const struct far *f, struct device_report *out) {
    const struct drive *d = &f->drive;
    const struct sample *s = &d->state;
    size_t worst;
    double violation = point_violation(&d->point, &worst);
    bool bad = s->outcome == HN_OUTCOME_BAD_BOUNDS;
    out->outcome = (int32_t)s->outcome;
    out->iterations = s->iteration;
    out->steps = s->best_step;
    out->unused = 0;
    out->violation_before = s->before;
    out->violation = bad ? HUGE_VAL : violation;
    out->worst = bad ? d->culprit : worst;
    out->moved = out->distance = far_moved(f, d->row);
    out->damping = s->used;
    out->culprit = d->culprit;
    out->slope = sqrt(s->slope);
    out->kkt = HUGE_VAL; /* of the method nearest, as what follows */
    out->programmes = out->factorisations = 0;
}

/* y, the report and what else is wanted of a sample that has ended. */
static GENERATED void far_close(struct far *f, const struct device_call *call) {
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    const struct point *p = &d->point;
    entry_evaluate(p->slots);
    entry_residual(p->slots);
    double bound = sample_asks_stationarity(&d->state, d->options, &f->numbers);
    bool stationary = bound > 0 && point_stationarity(p, d->row) <= bound * bound;
    d->state.outcome = sample_verdict(&d->state, d->options, &f->numbers, stationary);
    if (d->tape)
        call->heads[f->sample] = tape_head_of(&d->state, d->tape->room);
    if (call->residual)
        point_read(p, plan->residual, plan->rows, call->residual + f->sample * plan->rows);
    if (call->reports)
        far_report(f, call->reports + f->sample);
    for (uint32_t j = 0; d->warm && j < plan->outputs; j++) {
        double raw = d->raw ? d->raw[j] : *point_at(p, plan_words(plan, plan->start)[j]);
        d->warm[j] = d->state.outcome == HN_OUTCOME_OK ? *point_at(p, plan->y + j) - raw : 0;
    }
    point_read(p, plan->y, plan->outputs, call->y + f->sample * plan->outputs);
}

#endif
