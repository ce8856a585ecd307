/* lane_text.h - one thread of a device and the samples that it takes: what layer/load_samples.c, layer/forward.c and
 * layer/finish_sample.c do for batches, with the decisions and the driver of an emitted file (emit/drive_text.h).
 *
 *     open    x and the raw output come in; what depends on x only is evaluated
 *     round   evaluate, decide, step: one straight line of generated statements whose values stay in registers (lane_round). What
 *             is rare goes through the slots, as everywhere else: lane_listed
 *     close   a fresh evaluation at y, the verdict, the report
 *
 * In straight rounds A and W r never reach their slots. Who asks for them later gets them from where they were taken: base, scale,
 * hold and leads are kept, and the same statements give the same bits (lane_retake).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_LANE_TEXT_H
#define HN_DEVICE_LANE_TEXT_H

struct lane {
    struct drive drive;
    struct drive_tape tape;
    struct sample_numbers numbers; /* of the last evaluation */
    uint64_t sample;               /* its number in the batch */
    bool listed;                   /* the slots hold A and W r as they were last taken */
    bool is_best;                  /* the iterate before the step is the best one; else it is in `before` */
    real *before;                  /* outputs; methods without weights only */
};

/* ---- the sample comes in ---- */

/* Numbers of a tape lie side by side with those of the other samples, or one sample's tape behind the other's. */
static void lane_take_tape(struct lane *l, const struct device_call *call) {
    uint64_t apart = call->tape_width == 1 ? call->tape_room : 1;
    l->drive.tape = call->heads ? &l->tape : 0;
    if (!call->heads)
        return;
    l->tape.eps = call->tape_eps + l->sample * apart;
    l->tape.kind = call->tape_kind + l->sample * apart;
    l->tape.iterate = call->tape_y + l->sample * (call->tape_width == 1 ? apart * l->drive.plan->outputs : apart);
    l->tape.room = call->tape_room;
    l->tape.width = call->tape_width;
}

static const full *lane_row(const full *rows, bool repeats, uint64_t sample, uint32_t width) {
    return rows ? rows + (repeats ? 0 : sample * width) : rows;
}

static void lane_fall_back(struct lane *l, const struct device_call *call, hn_outcome outcome, size_t culprit) {
    struct drive *d = &l->drive;
    d->culprit = culprit;
    sample_fall_back(&d->state, outcome);
    if (call->fallback)
        point_write(&d->point, d->plan->y, d->plan->outputs, call->fallback);
    else
        point_fall_back(&d->point);
}

/* y = the raw output or the start values, unless they or x or the bounds are of no use. */
static void lane_take(struct lane *l, const struct device_call *call) {
    struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    size_t culprit = 0;
    if (!drive_finite(d->x, plan->inputs, &culprit))
        lane_fall_back(l, call, HN_OUTCOME_NONFINITE_INPUT, culprit);
    else if (d->raw && !drive_finite(d->raw, plan->outputs, &culprit))
        lane_fall_back(l, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    else if (point_bad_bounds(&d->point, &culprit))
        lane_fall_back(l, call, HN_OUTCOME_BAD_BOUNDS, culprit);
    else if (d->raw)
        point_write(&d->point, plan->y, plan->outputs, d->raw);
    else
        point_start(&d->point);
}

/* After what depends on x only was evaluated. */
static void lane_place(struct lane *l, const struct device_call *call) {
    struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    const double *y = point_at(&d->point, plan->y);
    size_t culprit = 0;
    lane_take(l, call);
    if (!point_set_fixed(&d->point) && d->state.doing == SAMPLE_OPENS) {
        lane_fall_back(l, call, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&d->point);
    }
    bool starts = d->state.doing == SAMPLE_OPENS && !d->raw;
    if (starts && !point_finite(&d->point, plan->y, plan->outputs, &culprit)) /* a start that x drives away */
        lane_fall_back(l, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    if (d->options->usual > 0 && d->state.doing == SAMPLE_OPENS && point_is_start(&d->point))
        sample_is_home(&d->state);
    drive_copy(y, point_at(&d->point, plan->best), plan->outputs);
    if (plan->raw != plan->best)
        drive_copy(y, point_at(&d->point, plan->raw), plan->outputs);
    drive_flag(d, plan->summary + SUMMARY_USABLE, true);
}

static void lane_open(struct lane *l, const struct device_call *call, uint64_t sample) {
    struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    l->sample = sample;
    lane_take_tape(l, call);
    l->listed = true;
    l->is_best = true;
    d->x = lane_row(call->x, call->repeats_x != 0, sample, plan->inputs);
    d->raw = lane_row(call->raw, call->repeats_raw != 0, sample, plan->outputs);
    d->warm = call->warm ? call->warm + sample * plan->outputs : 0;
    d->culprit = SIZE_MAX;
    sample_open(&d->state, d->options);
    if (plan->inputs > 0)
        drive_copy(d->x, point_at(&d->point, plan->x), plan->inputs);
    entry_prepare(d->point.slots);
    lane_place(l, call);
    if (!d->warm)
        return;
    drive_evaluate(d);
    drive_warm(d);
}

/* ---- what is rare ---- */

/* c, J and r at an iterate that is somewhere else than y, and with them A and W r, where weights are those of then. Rows may be
 * outputs themselves: y is there meanwhile. The residual's summary is that of the other iterate afterwards. */
static void lane_evaluate_at(struct lane *l, const double *from, bool weighs) {
    struct drive *d = &l->drive;
    double *y = point_at(&d->point, d->plan->y), *present = l->before + d->plan->outputs;
    drive_copy(y, present, d->plan->outputs);
    drive_copy(from, y, d->plan->outputs);
    entry_evaluate(d->point.slots);
    entry_residual(d->point.slots);
    if (weighs)
        entry_weigh_all(d->point.slots);
    drive_copy(present, y, d->plan->outputs);
}

/* A and W r as they were last taken, into their slots: before weights change. */
static void lane_retake(struct lane *l) {
    if (l->listed)
        return;
    lane_evaluate_at(l, point_at(&l->drive.point, l->drive.plan->base), true);
    l->listed = true;
}

/* drive_answer, with what it reads in its slots; J is that of the iterate before a step. */
static void lane_answer(struct lane *l) {
    struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    if (d->state.asks == SAMPLE_ASKS_NOTHING)
        return;
    if (d->state.asks == SAMPLE_ASKS_SLOPE)
        lane_retake(l);
    else if (d->options->weighted)
        lane_evaluate_at(l, point_at(&d->point, plan->base), false);
    else
        lane_evaluate_at(l, l->is_best ? point_at(&d->point, plan->best) : l->before, false);
    drive_answer(d);
}

/* The rest of a round through the slots. Methods without weights only return to the best iterate like that. */
#if LAYER_WEIGHTED
static void lane_listed(struct lane *l, bool accepted) {
    struct drive *d = &l->drive;
    if (!accepted)
        lane_retake(l);
    entry_evaluate(d->point.slots);
    entry_residual(d->point.slots);
    if (accepted)
        drive_take_over(d);
    l->listed = true;
    if (d->options->method == HN_METHOD_AUTO && sample_has_programme(&d->state))
        point_programme_prepare(&d->point, &d->state);
    drive_move(d);
}
#else
static void lane_listed(struct lane *l, bool accepted) {
    (void)accepted;
    drive_flag(&l->drive, l->drive.plan->summary + SUMMARY_USABLE, true);
    drive_take_slots(&l->drive, l->drive.plan->best, l->drive.plan->y);
}
#endif

/* ---- the straight round ---- */

enum lane_next { LANE_ENDS, LANE_STEPS, LANE_AGAIN, LANE_MOVED };

/* What comes after an evaluation: the end, the step from here (or again from the base), or the round is complete. */
static enum lane_next lane_decide(struct lane *l) {
    struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    const struct point *p = &d->point;
    if (sample_asks_violation(&d->state, d->options))
        drive_evaluate(d);
    drive_numbers(d, &l->numbers);
    struct sample_choice choice = sample_decide(&d->state, d->options, &l->numbers, false);
    lane_answer(l);
    if (choice.recorded && d->tape)
        drive_record(d, choice.led);
    if (choice.finished)
        return LANE_ENDS;
    if (choice.improved)
        drive_copy(point_at(p, plan->y), point_at(p, plan->best), plan->outputs);
    bool ordinary = sample_takes_step(&d->state) && !sample_holds_bounds(&d->state);
    if (!d->options->weighted && ordinary) {
        l->is_best = choice.improved;
        if (!choice.improved)
            drive_copy(point_at(p, plan->y), l->before, plan->outputs);
        return LANE_STEPS;
    }
    if (choice.accepted && ordinary) {
        *point_at(p, plan->slots + DRIVE_HOLD) = sample_hold(&d->state, d->options, l->numbers.squares);
        drive_flag(d, plan->slots + DRIVE_LEADS, d->state.kind == SAMPLE_LEADING);
        drive_copy(point_at(p, plan->y), point_at(p, plan->base), plan->outputs);
        l->listed = false;
        return LANE_STEPS;
    }
    if (ordinary && !l->listed && !d->state.chooses) {
        drive_copy(point_at(p, plan->base), point_at(p, plan->y), plan->outputs);
        return LANE_AGAIN;
    }
    lane_listed(l, choice.accepted);
    return LANE_MOVED;
}

/* After the step from the base: the rest of drive_step and drive_move. */
static void lane_stepped(struct lane *l) {
    struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    const struct point *p = &d->point;
    struct sample_numbers n = {0, 0, 0, 0, 0, 0, 0, 0, false, false, false};
    if (d->options->method == HN_METHOD_AUTO && d->state.kind == SAMPLE_CLIPPED)
        drive_clip(d);
    n.moved = point_mask(p, plan->summary + SUMMARY_MOVED);
    n.usable = point_mask(p, plan->summary + SUMMARY_USABLE);
    n.least_pivot = *point_at(p, plan->system.pivot_range);
    n.most_pivot = *point_at(p, plan->system.pivot_range + 1);
    sample_stepped(&d->state, d->options, &n);
    lane_answer(l);
    if (d->state.doing != SAMPLE_RETURNS && d->state.doing != SAMPLE_REWINDS)
        return;
    drive_flag(d, plan->summary + SUMMARY_USABLE, true);
    if (d->state.doing == SAMPLE_REWINDS)
        sample_rewound(&d->state);
    drive_copy(point_at(p, plan->best), point_at(p, plan->y), plan->outputs);
}

/* ---- the end ---- */

/* |y - raw|; see layer/finish_sample.c. */
static double lane_moved(const struct lane *l) {
    const struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    const uint32_t *start = plan_words(plan, plan->start);
    const double *y = point_at(&d->point, plan->y);
    double scale = 0, sum = 0;
    size_t unused;
    if (d->raw && !drive_finite(d->raw, plan->outputs, &unused))
        return HUGE_VAL;
    for (size_t j = 0; j < plan->outputs; j++)
        scale = sample_greater(scale, point_abs((d->raw ? d->raw[j] : *point_at(&d->point, start[j])) - y[j]));
    if (!sample_is_finite(scale))
        return HUGE_VAL;
    for (size_t j = 0; j < plan->outputs && scale > 0; j++) {
        double part = ((d->raw ? d->raw[j] : *point_at(&d->point, start[j])) - y[j]) / scale;
        sum += part * part;
    }
    return scale * sqrt(sum);
}

static void lane_report(const struct lane *l, struct device_report *out) {
    const struct drive *d = &l->drive;
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
    out->moved = out->distance = lane_moved(l);
    out->damping = s->used;
    out->culprit = d->culprit;
    out->slope = sqrt(s->slope);
    out->kkt = HUGE_VAL; /* of the method nearest, as what follows */
    out->programmes = out->factorisations = 0;
}

/* y, the report and what else is wanted of a sample that has ended. */
static void lane_close(struct lane *l, const struct device_call *call) {
    struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    const double *y = point_at(&d->point, plan->y), *r = point_at(&d->point, plan->residual);
    entry_evaluate(d->point.slots);
    entry_residual(d->point.slots);
    double bound = sample_asks_stationarity(&d->state, d->options, &l->numbers);
    bool stationary = bound > 0 && point_stationarity(&d->point, d->row) <= bound * bound;
    d->state.outcome = sample_verdict(&d->state, d->options, &l->numbers, stationary);
    if (d->tape)
        call->heads[l->sample] = tape_head_of(&d->state, d->tape->room);
    for (size_t i = 0; call->residual && i < plan->rows; i++)
        call->residual[l->sample * plan->rows + i] = r[i];
    if (call->reports)
        lane_report(l, call->reports + l->sample);
    for (size_t j = 0; d->warm && j < plan->outputs; j++) {
        double raw = d->raw ? d->raw[j] : *point_at(&d->point, plan_words(plan, plan->start)[j]);
        d->warm[j] = d->state.outcome == HN_OUTCOME_OK ? y[j] - raw : 0;
    }
    for (size_t j = 0; j < plan->outputs; j++)
        call->y[l->sample * plan->outputs + j] = y[j];
}

#endif
