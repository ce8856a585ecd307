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

static full *lane_part(full *all, uint64_t sample, uint32_t width) {
    return all ? all + sample * width : all;
}

static void lane_back_open(struct lane_back *b, const struct device_call *call, uint64_t sample) {
    struct lane *l = &b->lane;
    struct drive *d = &l->drive;
    const struct plan *plan = d->plan;
    l->sample = sample;
    lane_take_tape(l, call);
    l->tape.head = tape_head_read(&call->heads[sample], call->tape_room);
    b->whole = l->tape.head.way != TAPE_TOO_LONG;
    d->x = lane_row(call->x, call->repeats_x != 0, sample, plan->inputs);
    b->back.grad_y = lane_row(call->grad_y, false, sample, plan->outputs);
    b->back.grad_raw = lane_part(call->grad_raw, sample, plan->outputs);
    b->back.grad_x = lane_part(call->grad_x, sample, plan->inputs);
    b->back.grad_lower = lane_part(call->grad_lower, sample, plan->rows);
    b->back.grad_upper = lane_part(call->grad_upper, sample, plan->rows);
    b->back.from_start = !call->raw;
    drive_back_open(d, &b->back, &l->tape.head);
}

/* The step before; false where it is one for the slots. */
static bool lane_back_begin(struct lane_back *b) {
    struct drive *d = &b->lane.drive;
    struct sample *s = &d->state;
    size_t step = (size_t)(s->steps - 1);
    s->eps = d->tape->eps[step * d->tape->width];
    s->kind = (enum sample_step)d->tape->kind[step * d->tape->width];
    s->stage = sample_stage_of(s->attempt, s->kind);
    if (d->options->weighted && s->kind == SAMPLE_CLIPPED) {
        drive_back_step(d);
        return false;
    }
    s->steps--;
    drive_back_iterate(d, step);
    return true;
}

/* After the residual: what the rows are weighed by. */
static void lane_back_weigh(struct lane_back *b) {
    struct drive *d = &b->lane.drive;
    const struct point *p = &d->point;
    const struct plan *plan = d->plan;
    double squares = *point_at(p, plan->summary + SUMMARY_SQUARES);
    *point_at(p, plan->slots + DRIVE_HOLD) = sample_hold(&d->state, d->options, squares);
    drive_flag(d, plan->slots + DRIVE_LEADS, d->state.kind == SAMPLE_LEADING);
    *point_at(p, plan->eps) = d->state.eps;
}

/* After the solves: what eps owes to r. */
static void lane_back_damp(struct lane_back *b) {
    const struct drive *d = &b->lane.drive;
    double slope = drive_slope(d), *damped = point_at(&d->point, d->plan->damped);
    *damped = slope != 0 ? *damped * slope : 0;
}

static void lane_back_close(struct lane_back *b, const struct device_call *call) {
    struct lane *l = &b->lane;
    bool finite = drive_back_finish(&l->drive, &b->back);
    bool ok = !call->reports || call->reports[l->sample].outcome == (int32_t)HN_OUTCOME_OK;
    if (call->flagged)
        call->flagged[l->sample] = !(finite && b->whole && ok);
}

#endif
