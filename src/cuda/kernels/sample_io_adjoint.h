/* sample_io_adjoint.h - the same as sample_io.h for gradients: what is asked, and where the answers go.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SAMPLE_IO_ADJOINT_H
#define HN_CUDA_SAMPLE_IO_ADJOINT_H

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

/* False where the tape is too short for the sample's way. */
static bool lane_back_find(struct drive *d, struct drive_back *back, struct drive_tape *tape,
                           const struct device_call *call, uint64_t sample, double *taken) {
    lane_take_tape(d, tape, call, sample);
    tape->head = tape_head_read(&call->heads[sample], call->tape_room);
    d->x = lane_in(lane_row(call->x, call->repeats_x != 0, sample, LAYER_INPUTS), taken, LAYER_INPUTS);
    taken += LAYER_TAKEN ? LAYER_INPUTS : 0;
    back->grad_y = lane_in(lane_row(call->grad_y, false, sample, LAYER_OUTPUTS), taken, LAYER_OUTPUTS);
    taken += LAYER_TAKEN ? LAYER_OUTPUTS : 0;
    back->grad_raw = lane_part(call->grad_raw, &taken, sample, LAYER_OUTPUTS);
    back->grad_x = lane_part(call->grad_x, &taken, sample, LAYER_INPUTS);
    back->grad_lower = lane_part(call->grad_lower, &taken, sample, LAYER_ROWS);
    back->grad_upper = lane_part(call->grad_upper, &taken, sample, LAYER_ROWS);
    back->from_start = !call->raw;
    return tape->head.way != TAPE_TOO_LONG;
}

#ifdef DEVICE_SINGLE
/* On top of what later steps, in double, have owed: of the raw output there is nothing, it is what came in here. */
static void lane_back_give(const struct drive_back *back, const struct device_call *call, uint64_t sample,
                           bool finite) {
    lane_clear(call->grad_raw, sample, LAYER_OUTPUTS);
    if (!finite) {
        lane_clear(call->grad_x, sample, LAYER_INPUTS);
        lane_clear(call->grad_lower, sample, LAYER_ROWS);
        lane_clear(call->grad_upper, sample, LAYER_ROWS);
        return;
    }
    lane_give(call, call->grad_raw, back->grad_raw, sample, LAYER_OUTPUTS);
    lane_give(call, call->grad_x, back->grad_x, sample, LAYER_INPUTS);
    lane_give(call, call->grad_lower, back->grad_lower, sample, LAYER_ROWS);
    lane_give(call, call->grad_upper, back->grad_upper, sample, LAYER_ROWS);
}
#endif

static void lane_back_end(const struct drive *d, const struct drive_back *back, const struct device_call *call,
                          uint64_t sample, bool whole) {
    bool finite = drive_back_finish(d, back);
    bool ok = !call->reports || call->reports[sample].outcome == (int32_t)HN_OUTCOME_OK;
#ifdef DEVICE_SINGLE
    lane_back_give(back, call, sample, finite);
#endif
    if (call->flagged)
        call->flagged[sample] = !(finite && whole && ok) || (call->adds && call->flagged[sample]);
}

#endif
