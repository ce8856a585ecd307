/* kernel_global_adjoint.h - the gradients of the samples that a thread takes, where their slots lie in the device's memory: see kernel_global.h and
 * core/solver_adjoint.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_GLOBAL_ADJOINT_H
#define HN_CUDA_KERNEL_GLOBAL_ADJOINT_H

struct far_back {
    struct far far;
    struct drive_back back;
    bool whole;
};

static GENERATED void far_back_open(struct far_back *b, const struct device_call *call, uint64_t sample) {
    struct far *f = &b->far;
    f->sample = sample;
    b->whole = lane_back_find(&f->drive, &b->back, &f->tape, call, sample, far_taken(&f->drive));
    drive_back_open(&f->drive, &b->back, &f->tape.head);
}

static GENERATED void far_back_step(struct far_back *b) {
    drive_back_step(&b->far.drive);
}

static GENERATED void far_back_close(struct far_back *b, const struct device_call *call) {
    lane_back_end(&b->far.drive, &b->back, call, b->far.sample, b->whole);
}

#endif
