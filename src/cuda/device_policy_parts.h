/* device_policy_parts.h - internal interface: a policy on a device.
 *
 * After the first failure of a call the other functions do nothing: `status` keeps it until policy_leave.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_POLICY_PARTS_H
#define HN_CUDA_DEVICE_POLICY_PARTS_H

#include "base/layout.h"
#include "cuda/device_parts.h"
#include "cuda/device_policy.h"
#include "nn/network_parts.h"
#include "nn/refine_plan.h"
#include "nn/refiner.h"

#include "cuda/kernels/kernel_args.h"
#include "cuda/kernels/policy_args.h"

/* The operations of the network come first, in the order of enum network_operation. */
#define POLICY_ENUMERATE(name) POLICY_##name,
enum policy_kernel {
    POLICY_KERNEL_LIST(POLICY_ENUMERATE) POLICY_refine_step,
    REFINE_KERNEL_LIST(POLICY_ENUMERATE) POLICY_KERNELS,
    POLICY_PLAIN = POLICY_refine_step /* the number of kernels of policies that do not refine */
};
#undef POLICY_ENUMERATE

enum { POLICY_THREADS = 128 }; /* of a block */

struct device_policy {
    hn_device_layer *layer, *through; /* the second one if the loss is differentiated through it */
    const hn_network *network;
    size_t parameter_count;
    bool learns;
    struct loss loss; /* of one sample; if there is an objective */
    bool refines;     /* kernels, lists and plan of refinement exist, */
    bool refining;    /* and the present batch uses its memory */
    struct refine_plan plan;
    struct refine_places places;   /* with device addresses */
    struct policy_program program; /* of the plan, likewise */
    cuda_module module[2];         /* of every policy; of those that refine */
    cuda_function function[POLICY_KERNELS];
    cuda_stream stream;
    cuda_address lists; /* constant data; 0: none */
    cuda_address block; /* memory of a batch, of `room` bytes; 0: none */
    size_t room;
    struct policy_call call;
    struct perceptron_memory perceptron; /* in the block, as are these: */
    void *workspace, *tape;
    double *targets, *starts;
    /* the present call */
    hn_status status;
    hn_error *error;
};

/* The context is current between the two; false if that fails. The second waits for the stream in any case and returns the first
 * failure. */
bool policy_enter(struct device_policy *policy, hn_error *error);
hn_status policy_leave(struct device_policy *policy);

/* Memory for so many inputs: the arrays and sizes of the call. */
void policy_make_room(struct device_policy *policy, size_t count);

/* Between host and device, in stream order; NULL on the host: no copy. */
void policy_copy_in(struct device_policy *policy, const void *to, const void *from, size_t bytes);
void policy_copy_out(struct device_policy *policy, void *to, const void *from, size_t bytes);

/* One thread per number, up to the resident ones. */
void policy_launch(struct device_policy *policy, enum policy_kernel kernel, size_t numbers);

#endif
