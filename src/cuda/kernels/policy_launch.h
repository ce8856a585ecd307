/* policy_launch.h - from a function of a policy's call and a number to a kernel that runs it for all numbers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_LAUNCH_H
#define HN_CUDA_POLICY_LAUNCH_H

#include "cuda/kernels/policy_args.h"

#ifdef DEVICE_HOST
#define POLICY_KERNEL(name)                                                                                            \
    extern "C" void hardnet_##name(const struct policy_call *call) {                                                   \
        for (uint64_t i = 0; i < call->numbers; i++)                                                                   \
            policy_##name(call, i);                                                                                    \
    }
#define POLICY_KERNEL_OF_THREADS(name, bounds) POLICY_KERNEL(name)
#else
#define POLICY_KERNEL(name)                                                                                            \
    extern "C" __global__ void hardnet_##name(const struct policy_call call) {                                         \
        uint64_t threads = gridDim.x * (uint64_t)blockDim.x;                                                           \
        for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < call.numbers; i += threads)             \
            policy_##name(&call, i);                                                                                   \
    }
/* Where the number is that of a thread, of which there are as many. */
#define POLICY_KERNEL_OF_THREADS(name, bounds)                                                                         \
    extern "C" __global__ void bounds hardnet_##name(const struct policy_call call) {                                  \
        policy_##name(&call, blockIdx.x *(uint64_t)blockDim.x + threadIdx.x);                                          \
    }
#endif

#endif
