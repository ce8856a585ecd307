/* kernel_global_entry.h - the entry point KERNEL_NAME of a kernel over slots in the device's memory; on the host a function that runs all
 * samples.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_GLOBAL_ENTRY_H
#define HN_CUDA_KERNEL_GLOBAL_ENTRY_H

#include "cuda/kernels/kernel_global_main.h"

#ifndef BLOCK_BOUNDS /* threads of a block, and blocks of a multiprocessor */
#define BLOCK_BOUNDS GLOBAL_WIDTH
#endif

#ifdef DEVICE_HOST
extern "C" void KERNEL_NAME(const struct device_call *call) {
    task t;
    global_begin(task_global(&t), call->global_slots, call->global_rows);
#ifdef DEVICE_SEARCHES
    thread_search_begin(task_global(&t), call, 0);
#endif
    tasks_run(call, &t, 0, 1);
}
#else
extern "C" __global__ void __launch_bounds__(BLOCK_BOUNDS) KERNEL_NAME(const struct device_call call) {
#ifdef BLOCK_HELPERS
    if (!block_begin())
        return;
#endif
    uint64_t thread = blockIdx.x * (uint64_t)GLOBAL_WIDTH + threadIdx.x;
    task t;
    global_begin(task_global(&t), call.global_slots + blockIdx.x * (uint64_t)LAYER_SLOTS * GLOBAL_WIDTH + threadIdx.x,
                 call.global_rows + thread * (LAYER_OUTPUTS + LAYER_TAKEN));
#ifdef DEVICE_SEARCHES
    thread_search_begin(task_global(&t), &call, thread);
#endif
    tasks_run(&call, &t, thread, gridDim.x * (uint64_t)GLOBAL_WIDTH);
#ifdef BLOCK_HELPERS
    block_end();
#endif
}
#endif

#endif
