/* policy_args.h - the kernels of policies and their arguments, for the library and for the kernels.
 *
 * One struct for all kernels: each kernel reads its part. Candidate k of input i is sample k * inputs + i.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_ARGS_H
#define HN_CUDA_POLICY_ARGS_H

#ifdef FREESTANDING
#include "cuda/kernels/kernel_args.h"
typedef struct device_report hn_report; /* same layout */
#endif

#include "core/loss_rows.h"
#include "core/network_task.h"
#include "core/program_lists.h"
#include "core/refine_samples.h"
#include "core/train_loss.h"

/* X(name): kernel hardnet_NAME runs policy_NAME. */
#define POLICY_KERNEL_LIST(X)                                                                                          \
    NETWORK_OPERATION_LIST(X)                                                                                          \
    X(norm)                                                                                                            \
    X(adam)                                                                                                            \
    X(loss)                                                                                                            \
    X(spread)                                                                                                          \
    X(value)                                                                                                           \
    X(choose)                                                                                                          \
    X(gather)                                                                                                          \
    X(total)                                                                                                           \
    X(inside)                                                                                                          \
    X(regress)                                                                                                         \
    X(finish)

/* Kernels compiled only for policies that refine. refine_step, the first one, is not in the list, because it has launch
 * bounds. */
#define REFINE_KERNEL_LIST(X)                                                                                          \
    X(refine_keep)                                                                                                     \
    X(refine_measure)                                                                                                  \
    X(improve_begin)                                                                                                   \
    X(improve_target)                                                                                                  \
    X(improve_start)                                                                                                   \
    X(improve_adopt)                                                                                                   \
    X(improve_regress)

/* Refinement: most and fewest threads of a warp, and resident warps per multiprocessor, so that a thread has 128
 * registers, enough for all its values. */
enum { REFINE_WARP = 32, REFINE_LEAST = 4, REFINE_WARPS_EACH = 16 };

/* A step of refinement, one sample per thread. */
struct policy_refinement {
    const struct refine_places *places; /* on the device, with its lists */
    size_t slots, threads, width;       /* of a thread; threads in all, whole warps; threads of a warp */
    double *memory;                     /* of all threads, warp by warp: a slot of its threads is contiguous */
    struct samples trial;
    double *multipliers, *length;
    int32_t known; /* the multipliers are those of nearby outputs */
};

struct policy_call {
    uint64_t numbers; /* threads that the kernel needs: one per element, sample or input */
    size_t inputs, outputs, parameters;
    int32_t corrected, wants_gradient;
    struct network_task task;
    const double *x; /* rows of inputs */
    double *network; /* rows of inputs: outputs of the network */
    struct samples samples;
    double *value;
    struct candidates among;
    struct samples out; /* of inputs: the best */
    /* objective and residual */
    struct policy_program program; /* no slots: no objective */
    struct loss_places loss;
    struct loss_weights loss_weights;
    double *slots; /* of the program */
    size_t apart;  /* threads with slots: the distance between slots of a thread */
    /* training */
    struct train_batch train;
    const double *targets; /* rows of inputs */
    double *rows, *norm;   /* gradients with respect to `network`; norm of the gradient with respect to parameters */
    size_t chunk;          /* inputs whose parameter gradients are summed first */
    struct adam adam;
    /* refinement */
    struct policy_refinement refinement;
    struct improve_task improve;
};

/* ---- a kernel runs policy_NAME for all numbers: elements, samples or inputs ---- */

#ifdef FREESTANDING
/* policy_NAME with a single statement. */
#define POLICY_FUNCTION(name, statement)                                                                               \
    SHARED_FUNCTION void policy_##name(const struct policy_call *c, uint64_t i) {                                      \
        statement;                                                                                                     \
    }
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
/* One number per thread. */
#define POLICY_KERNEL_OF_THREADS(name, bounds)                                                                         \
    extern "C" __global__ void bounds hardnet_##name(const struct policy_call call) {                                  \
        policy_##name(&call, blockIdx.x *(uint64_t)blockDim.x + threadIdx.x);                                          \
    }
#endif
#endif

#endif
