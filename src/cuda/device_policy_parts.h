/* device_policy_parts.h - a policy on a device, as its own files see it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_POLICY_PARTS_H
#define HN_CUDA_DEVICE_POLICY_PARTS_H

#include "base/layout.h"
#include "cuda/device_parts.h"
#include "cuda/device_policy.h"
#include "cuda/device_upload.h"
#include "cuda/print_policy.h"
#include "nn/loss.h"
#include "nn/network_parts.h"
#include "nn/refine_plan.h"

#include "cuda/kernels/kernel_args.h"
#include "cuda/kernels/policy_args.h"

enum { POLICY_THREADS = 128 }; /* of a block */

struct device_policy {
    hn_device_layer *layer, *through; /* the second where the loss goes through it */
    const hn_network *network;
    size_t candidates, chunk, parameter_count;
    bool corrected, learns;
    struct loss loss; /* of one sample; where there is an objective */
    bool refines;     /* refinement has its kernels, lists and plan, */
    bool refining;    /* and the present batch needs its memory */
    struct refine_plan plan;
    struct refine_places places;   /* with addresses of the device */
    struct policy_program program; /* of the plan, likewise */
    cuda_module module[2];         /* of every policy; of those that refine */
    cuda_function function[POLICY_KERNELS];
    cuda_stream stream;
    cuda_address lists, program_lists, refine_lists; /* what never changes; 0: none */
    cuda_address block;                              /* what a batch needs, for `room` inputs; 0: none */
    size_t room;
    struct policy_call call;
    /* in the block */
    double *parameters, *input_shift, *input_scale, *output_shift, *output_scale;
    double *h[MOST_LAYERS], *z[MOST_LAYERS], *turn[2];
    double *inverse[MOST_LAYERS], *carried; /* as perceptron_memory has them */
    void *workspace, *tape;
    double *targets, *starts;
};

/* Between the two the context is the thread's; the end waits for the stream, whatever came before, and gives the first error. */
hn_status policy_enter(const struct device_policy *policy, hn_error *error);
hn_status policy_leave(const struct device_policy *policy, hn_status status, hn_error *error);

/* Memory for so many inputs: the call's arrays are there, and its sizes. */
hn_status policy_make_room(struct device_policy *policy, size_t count, hn_error *error);

/* Between host and device, in the order of the stream; nothing where there is nothing. */
hn_status policy_copy_in(const struct device_policy *policy, double *to, const double *from, size_t count,
                         hn_error *error);
hn_status policy_copy_out(const struct device_policy *policy, void *to, const void *from, size_t bytes,
                          hn_error *error);

/* As many threads as there are numbers, as far as they run at once. */
hn_status policy_launch(struct device_policy *policy, enum policy_kernel kernel, size_t numbers, hn_error *error);

/* Parameters and inputs go there; network, candidates, layer and objective run. With a tape where the loss goes through the layer. */
hn_status policy_forward(struct device_policy *policy, size_t count, const double *x, bool through, hn_error *error);

/* ---- refinement ---- */

/* In the context: the plan, whether the device has room for it, lists. What does not fit is no error: the policy does not refine. */
hn_status policy_refine_create(struct device_policy *policy, const hn_model *model, hn_error *error);

/* What a batch needs of memory, where it refines. */
void policy_refine_room(struct device_policy *policy);
void policy_refine_place(struct layout *layout, struct device_policy *policy);

/* The layer's answer to the call's raw outputs, with the objective; then so many steps. */
hn_status policy_correct(struct device_policy *policy, hn_error *error);
hn_status policy_refine(struct device_policy *policy, int steps, hn_error *error);

/* From corrected samples to the loss `improve` and its gradient by raw outputs. */
hn_status policy_improve(struct device_policy *policy, const struct device_lesson *lesson, hn_error *error);

#endif
