/* system_step.h - the steps of layers whose linear system is no list of statements: it is solved between two entries of statements, as the
 * listed kernels of the host do for generated code. Behind the entries; the driver calls what is defined here.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SYSTEM_STEP_H
#define HN_CUDA_SYSTEM_STEP_H

static void system_step_end(real *slots) {
    const uint32_t from[1] = {SYSTEM_STEP_FROM}, to[1] = {SYSTEM_STEP_TO};
    system_solve(slots, 1, from, to);
    entry_step_end(slots);
}
#define entry_step_end system_step_end

#ifdef DEVICE_GRADIENTS
static void system_back_begin(real *slots) {
    const uint32_t from[2] = {SYSTEM_BACK_FROM, SYSTEM_BACK_FROM_TOO}, to[2] = {SYSTEM_BACK_TO, SYSTEM_BACK_TO_TOO};
    entry_back_begin(slots);
    system_solve(slots, 2, from, to);
    entry_back_middle(slots);
}
#define entry_back_begin system_back_begin
#endif

#endif
