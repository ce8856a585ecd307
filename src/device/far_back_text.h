/* far_back_text.h - the gradients of the samples that a thread takes, where their slots lie in the device's memory: see far_text.h and
 * emit/drive_back_text.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_FAR_BACK_TEXT_H
#define HN_DEVICE_FAR_BACK_TEXT_H

struct far_back {
    struct far far;
    struct drive_back back;
    bool whole;
};

static full *far_part(full *all, uint64_t sample, uint32_t width) {
    return all ? all + sample * width : all;
}

static GENERATED void far_back_open(struct far_back *b, const struct device_call *call, uint64_t sample) {
    struct far *f = &b->far;
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    f->sample = sample;
    far_take_tape(f, call);
    f->tape.head = tape_head_read(&call->heads[sample], call->tape_room);
    b->whole = f->tape.head.way != TAPE_TOO_LONG;
    d->x = far_row(call->x, call->repeats_x != 0, sample, plan->inputs);
    b->back.grad_y = far_row(call->grad_y, false, sample, plan->outputs);
    b->back.grad_raw = far_part(call->grad_raw, sample, plan->outputs);
    b->back.grad_x = far_part(call->grad_x, sample, plan->inputs);
    b->back.grad_lower = far_part(call->grad_lower, sample, plan->rows);
    b->back.grad_upper = far_part(call->grad_upper, sample, plan->rows);
    b->back.from_start = !call->raw;
    drive_back_open(d, &b->back, &f->tape.head);
}

static GENERATED void far_back_step(struct far_back *b) {
    drive_back_step(&b->far.drive);
}

static GENERATED void far_back_close(struct far_back *b, const struct device_call *call) {
    struct far *f = &b->far;
    bool finite = drive_back_finish(&f->drive, &b->back);
    bool ok = !call->reports || call->reports[f->sample].outcome == (int32_t)HN_OUTCOME_OK;
    if (call->flagged)
        call->flagged[f->sample] = !(finite && b->whole && ok);
}

#endif
