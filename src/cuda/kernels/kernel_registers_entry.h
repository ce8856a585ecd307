/* kernel_registers_entry.h - the entry point KERNEL_NAME of a kernel whose slots are a thread's own array; on the host a function that runs
 * all samples.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_REGISTERS_ENTRY_H
#define HN_CUDA_KERNEL_REGISTERS_ENTRY_H

#include "cuda/kernels/kernel_main.h"

#ifdef DEVICE_SINGLE
#define TAKEN(storage) storage real taken[LAYER_TAKEN];
#else
#define TAKEN(storage) real *const taken = 0;
#endif

#ifdef DEVICE_HOST
/* On a device nothing has written the slots either: here they hold a number that shows where one is read too early. */
extern "C" void KERNEL_NAME(const struct device_call *call) {
    static thread_local real slots[LAYER_SLOTS], row[LAYER_OUTPUTS], before[2 * LAYER_OUTPUTS];
    TAKEN(static thread_local)
    task t;
    for (size_t i = 0; i < LAYER_SLOTS; i++)
        slots[i] = (real)-7e11;
    thread_begin(task_thread(&t), slots, row, before, taken);
    tasks_run(call, &t, slots, 0, 1);
}
#else
extern "C" __global__ void __launch_bounds__(256, 1) KERNEL_NAME(const struct device_call call) {
    real slots[LAYER_SLOTS], row[LAYER_OUTPUTS], before[2 * LAYER_OUTPUTS];
    TAKEN()
#ifdef TASK_NEAR
    static_assert(sizeof(task) <= NEAR_TASK * sizeof(double), "a task has its room");
    task &t = *(task *)(void *)(NEAR_OF_WARP + threadIdx.x % 32 * NEAR_TASK);
#else
    task t;
#endif
    thread_begin(task_thread(&t), slots, row, before, taken);
    tasks_run(&call, &t, slots, blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, gridDim.x * (uint64_t)blockDim.x);
}
#endif

#endif
