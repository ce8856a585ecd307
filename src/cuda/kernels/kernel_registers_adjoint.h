/* kernel_registers_adjoint.h - one thread of a device and the gradients of the samples that it takes: core/solver_adjoint.h, with steps that
 * are one straight line of generated statements (lane_back_round) where they neither clip nor hold outputs on bounds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_REGISTERS_ADJOINT_H
#define HN_CUDA_KERNEL_REGISTERS_ADJOINT_H

struct lane_back {
    struct lane lane;
    struct drive_back back;
    bool whole;
};

static GENERATED void lane_back_open(struct lane_back *b, const struct device_call *call, uint64_t sample) {
    struct lane *l = &b->lane;
    struct drive *d = &l->drive;
    l->sample = sample;
    b->whole = lane_back_find(d, &b->back, &l->tape, call, sample, lane_taken(l));
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

static GENERATED void lane_back_close(struct lane_back *b, const struct device_call *call) {
    lane_back_end(&b->lane.drive, &b->back, call, b->lane.sample, b->whole);
}

#endif
