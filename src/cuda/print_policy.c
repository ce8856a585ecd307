/* print_policy.c - see print_policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/print_policy.h"

#include "base/error.h"
#include "cuda/device_texts.h"

#define NAME_OF(name) "hardnet_" #name,
static const char kernel_names[][32] = {POLICY_KERNEL_LIST(NAME_OF) REFINE_KERNEL_LIST(NAME_OF)};

const char *policy_kernel_name(enum policy_kernel kernel) {
    return kernel_names[kernel];
}

/* ---- all of it ---- */

/* The library's own kernels over slots of a warp, which are never more than 32 bits count: device_policy_refine.c sees to that. */
static void print_refinement(struct text *out) {
    text_add(out, "#include \"cuda/kernels/warp_slots.h\"\n");
    text_add(out, "\n#define REFINE_AT_ONCE 1\n#define REFINE_STRIDE 1\n"
                  "#define REFINE_SLOT(slots, offset) (*SLOT_AT(slots, offset))\n");
    text_add(out, "#include \"linalg/damped_kernel.h\"\n#include \"core/barrier_kernel.h\"\n"
                  "#include \"cuda/kernels/policy_slots.h\"\n#include \"core/refine_qp.h\"\n"
                  "#include \"cuda/kernels/policy_refine.h\"\n#include \"cuda/kernels/policy_improve.h\"\n");
}

/* One thread of the host runs what plain policies do; of those that refine it is each thread in turn, in the memory of that thread. */
static void print_host_kernel(struct text *out, const char *name, bool refines) {
    text_add(out, "extern \"C\" void hardnet_%s(const struct policy_call *call) {\n", name);
    if (refines)
        text_add(out,
                 "    warp_width = (uint32_t)call->refinement.width;\n"
                 "    for (uint64_t i = 0; i < call->refinement.threads; i++)\n"
                 "        policy_%s(call, i, call->refinement.threads);\n}\n",
                 name);
    else
        text_add(out, "    policy_%s(call, 0, 1);\n}\n", name);
}

static void print_kernels(struct text *out, bool refines) {
    int first = refines ? POLICY_PLAIN : 0, end = refines ? POLICY_KERNELS : POLICY_PLAIN;
    text_add(out, "#ifdef DEVICE_HOST\n");
    for (int k = first; k < end; k++)
        print_host_kernel(out, kernel_names[k] + sizeof "hardnet", refines);
    text_add(out, "#else\n");
    for (int k = first; k < end; k++) {
        text_add(out, "extern \"C\" __global__ void ");
        if (k == POLICY_refine_step)
            text_add(out, "__launch_bounds__(%d, %d) ", REFINE_WARP, REFINE_WARPS_EACH);
        text_add(out,
                 "%s(const struct policy_call call) {\n"
                 "    policy_%s(&call, blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, gridDim.x * "
                 "(uint64_t)blockDim.x);\n}\n",
                 kernel_names[k], kernel_names[k] + sizeof "hardnet");
    }
    text_add(out, "#endif\n");
}

static void print_texts(struct text *out, bool refines) {
    text_add(out, "#include \"cuda/kernels/kernel_args.h\"\n#include \"cuda/kernels/policy_args.h\"\n");
    if (!refines)
        text_add(out, "#include \"cuda/kernels/policy_network.h\"\n");
    emission_print_operators(out, NULL);
    text_add(out, "#include \"core/program_run.h\"\n#include \"core/residual.h\"\n"
                  "#include \"cuda/kernels/policy_loss.h\"\n#include \"core/candidate_choice.h\"\n"
                  "#include \"cuda/kernels/policy_learn.h\"\n");
    if (refines)
        print_refinement(out);
}

/* Numbers, elementary functions, and the activations of networks. */
static const char functions[] =
    "#include \"core/scalar_double.h\"\n#include \"core/scalar_operations.h\"\n#include \"core/sqrt.h\"\n"
    "#include \"base/elementary_exponential.h\"\n#include \"base/reduce.c\"\n#include \"base/elementary_circle.h\"\n"
    "#include \"base/elementary_arc.h\"\n#include \"base/elementary_hyperbolic.h\"\n"
    "#include \"core/activation_kernel.h\"\n#include \"core/normalize.h\"\n";

hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network, bool refines,
                       hn_error *error) {
    const struct device_subject subject = {.plan = plan};
    const struct emission lists = {.network = network};
    struct text root = {.bytes = NULL}, out = {.bytes = NULL};
    device_print_head(&root, &subject);
    emission_print_lists(&lists, &root);
    text_add(&root, "%s", functions);
    print_texts(&root, refines);
    print_kernels(&root, refines);
    flatten(&out, &root);
    text_drop(&root);
    hn_status status = out.failed ? text_error(&out, "the device's kernels", error) : HN_OK;
    if (status != HN_OK)
        text_drop(&out);
    *text = out.bytes;
    *length = out.length;
    return status;
}
