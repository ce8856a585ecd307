/* lane_back_text.h - one thread of a device and the gradients of the samples that it takes: emit/drive_back_text.h, with steps that
 * are one straight line of generated statements (lane_back_round) where they neither clip nor hold outputs on bounds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_LANE_BACK_TEXT_H
#define HN_DEVICE_LANE_BACK_TEXT_H

struct lane_back {
    struct lane lane;
    struct drive_back back;
    bool whole;
};

/* Where an answer goes: to the caller, or to floats of our own (`taken` goes on behind them) that lane_give adds to what is there. */
#ifdef DEVICE_SINGLE
static double *lane_part(const full *all, double **taken, uint64_t sample, uint32_t width) {
    double *part = *taken;
    (void)sample;
    *taken += width;
    return all ? part : 0;
}

static void lane_give(const struct device_call *call, full *all, const double *part, uint64_t sample, uint32_t width) {
    for (uint32_t i = 0; all && i < width; i++)
        all[sample * width + i] = (call->adds ? all[sample * width + i] : 0) + (full)part[i];
}

static void lane_clear(full *all, uint64_t sample, uint32_t width) {
    for (uint32_t i = 0; all && i < width; i++)
        all[sample * width + i] = 0;
}
#else
static full *lane_part(full *all, double **taken, uint64_t sample, uint32_t width) {
    (void)taken;
    return all ? all + sample * width : all;
}
#endif

static GENERATED void lane_back_open(struct lane_back *b, const struct device_call *call, uint64_t sample) {
    struct lane *l = &b->lane;
    struct drive *d = &l->drive;
    double *taken = lane_taken(l);
    l->sample = sample;
    lane_take_tape(l, call);
    l->tape.head = tape_head_read(&call->heads[sample], call->tape_room);
    b->whole = l->tape.head.way != TAPE_TOO_LONG;
    d->x = lane_in(lane_row(call->x, call->repeats_x != 0, sample, LAYER_INPUTS), taken, LAYER_INPUTS);
    taken += LAYER_TAKEN ? LAYER_INPUTS : 0;
    b->back.grad_y = lane_in(lane_row(call->grad_y, false, sample, LAYER_OUTPUTS), taken, LAYER_OUTPUTS);
    taken += LAYER_TAKEN ? LAYER_OUTPUTS : 0;
    b->back.grad_raw = lane_part(call->grad_raw, &taken, sample, LAYER_OUTPUTS);
    b->back.grad_x = lane_part(call->grad_x, &taken, sample, LAYER_INPUTS);
    b->back.grad_lower = lane_part(call->grad_lower, &taken, sample, LAYER_ROWS);
    b->back.grad_upper = lane_part(call->grad_upper, &taken, sample, LAYER_ROWS);
    b->back.from_start = !call->raw;
    drive_back_open(d, &b->back, &l->tape.head);
    l->assumed = lane_assumes(d->point.slots);
}

/* A step for the slots. */
static GENERATED void lane_back_listed(struct lane_back *b) {
    drive_back_step(&b->lane.drive);
}

/* The same of a step that a straight round has begun with. */
static void lane_back_apart(struct lane_back *b) {
    b->lane.drive.state.steps++;
    lane_back_listed(b);
}

/* The step before; false where it is one for the slots, and done. */
WIDE_INLINE bool lane_back_begin(struct lane_back *b, double *slots, const struct sample_options *o) {
    const struct drive_tape *tape = &b->lane.tape;
    struct sample *s = &b->lane.drive.state;
    size_t step = (size_t)(s->steps - 1);
    const double *from = tape->iterate + step * LAYER_OUTPUTS * tape->width;
    const double eps = tape->eps[step * tape->width];
    const int32_t kind = tape->kind[step * tape->width];
    lane_spread(from, tape->width, slots + LAYER_Y, 1, LAYER_OUTPUTS); /* before any of it is waited for */
    s->eps = eps;
    s->kind = (enum sample_step)kind;
    s->stage = sample_stage_of(s->attempt, s->kind);
    if (o->weighted && (s->kind == SAMPLE_CLIPPED || !b->lane.assumed)) {
        lane_back_listed(b);
        return false;
    }
    s->steps--;
    return true;
}

/* After the residual: what the rows are weighed by. */
WIDE_INLINE void lane_back_weigh(struct lane_back *b, double *slots, const struct sample_options *o) {
    const struct sample *s = &b->lane.drive.state;
    slots[LAYER_HOLD] = sample_hold(s, o, slots[LAYER_SUMMARY + SUMMARY_SQUARES]);
    mask_write(slots + LAYER_LEADS, s->kind == SAMPLE_LEADING);
    slots[LAYER_EPS] = s->eps;
}

/* After the solves: what eps owes to r; see drive_slope. */
WIDE_INLINE void lane_back_damp(struct lane_back *b, double *slots, const struct sample_options *o) {
    const struct sample *s = &b->lane.drive.state;
    double slope = sample_eps_slope(s, o, slots[LAYER_SUMMARY + SUMMARY_SQUARES]);
    slope = slope != 0 && o->outputs_side ? slope / s->eps : slope;
    slots[LAYER_DAMPED] = slope != 0 ? slots[LAYER_DAMPED] * slope : 0;
}

#ifdef DEVICE_SINGLE
/* On top of what later steps, in double, have owed: of the raw output there is nothing, it is what came in here. */
static void lane_back_give(struct lane_back *b, const struct device_call *call, bool finite) {
    uint64_t sample = b->lane.sample;
    lane_clear(call->grad_raw, sample, LAYER_OUTPUTS);
    if (!finite) {
        lane_clear(call->grad_x, sample, LAYER_INPUTS);
        lane_clear(call->grad_lower, sample, LAYER_ROWS);
        lane_clear(call->grad_upper, sample, LAYER_ROWS);
        return;
    }
    lane_give(call, call->grad_raw, b->back.grad_raw, sample, LAYER_OUTPUTS);
    lane_give(call, call->grad_x, b->back.grad_x, sample, LAYER_INPUTS);
    lane_give(call, call->grad_lower, b->back.grad_lower, sample, LAYER_ROWS);
    lane_give(call, call->grad_upper, b->back.grad_upper, sample, LAYER_ROWS);
}
#endif

static GENERATED void lane_back_close(struct lane_back *b, const struct device_call *call) {
    struct lane *l = &b->lane;
    bool finite = drive_back_finish(&l->drive, &b->back);
    bool ok = !call->reports || call->reports[l->sample].outcome == (int32_t)HN_OUTCOME_OK;
#ifdef DEVICE_SINGLE
    lane_back_give(b, call, finite);
#endif
    if (call->flagged)
        call->flagged[l->sample] = !(finite && b->whole && ok) || (call->adds && call->flagged[l->sample]);
}

#endif
