/* policy_print.c - see policy_print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/policy_print.h"

#include "base/error.h"
#include "device/device_texts.h"
#include "program/program.h"

#define NAME_OF(name) "hardnet_" #name,
static const char kernel_names[][32] = {POLICY_KERNEL_LIST(NAME_OF) REFINE_KERNEL_LIST(NAME_OF)};

const char *policy_kernel_name(enum policy_kernel kernel) {
    return kernel_names[kernel];
}

/* ---- operators ---- */

#define PRINT_CASE(label, meaning)                     text_add(out, "    case %d:\n        return %s;\n", (int)(label), #meaning);
#define PRINT_OPERATOR(name, text, arguments, meaning) PRINT_CASE(OP_##name, meaning)
#define PRINT_FUSED(name, text, meaning)               PRINT_CASE(CODE_##name, meaning)

static void print_operators(struct text *out) {
    text_add(out, "\nenum { PROGRAM_DOT = %d, PROGRAM_LINEAR = %d, PROGRAM_SINCOS = %d };\n", (int)CODE_DOT,
             (int)CODE_LINEAR, (int)CODE_SINCOS);
    text_add(out, "\nstatic real program_operator(uint32_t code, real a, real b, real c) {\n    switch (code) {\n");
    OPERATOR_LIST(PRINT_OPERATOR)
    FUSED_LIST(PRINT_FUSED)
    text_add(out, "    default:\n        return REAL_NAN;\n    }\n}\n");
}

/* ---- all of it ---- */

static void print_files(struct text *out, const char (*names)[32], size_t count) {
    for (size_t i = 0; i < count; i++)
        amalgamate_file(out, names[i], false);
}

#define PRINT_FILES(out, names) print_files(out, names, sizeof(names) / sizeof(names)[0])

static void print_library(struct text *out) {
    static const char before[][32] = {
        "emit/scalar_double.h",    "emit/scalar_operations.h",      "emit/root.h",  "base/wide_pair.h",
        "base/elementary_round.h", "base/elementary_exponential.h", "base/reduce.h"};
    static const char after[][32] = {"base/reduce.c",
                                     "base/elementary_circle.h",
                                     "base/elementary_arc.h",
                                     "base/elementary_hyperbolic.h",
                                     "network/activation_kernel.h",
                                     "network/normalize.h"};
    PRINT_FILES(out, before);
    text_add(out, "\nstatic SELDOM reduced_angle reduce_angle(real size);\n");
    PRINT_FILES(out, after);
}

/* Slots of a warp, whose threads are a block; the host takes the width from the call. Products of 32 bits are exact: device_policy_refine.c
 * sees to that. */
static const char slots_of_warp[] =
    "\nenum { LANE_PARTS = 1, LANES_HERE = 1 };\n"
    "#ifdef DEVICE_HOST\nstatic thread_local uint32_t refine_width;\n#define SLOT_STEP refine_width\n"
    "#define DEVICE_GLOBAL(pointer) ((void)0)\n#else\n#define SLOT_STEP blockDim.x\n"
    "#define DEVICE_GLOBAL(pointer) __builtin_assume(__isGlobal(pointer))\n#endif\n"
    "#define SLOT_AT(slots, offset) ((slots) + (uint32_t)(offset)*SLOT_STEP)\n#define wide_prefetch(at, ahead) "
    "((void)0)\n"
    "#define REFINE_AT_ONCE 1\n#define REFINE_STRIDE 1\n"
    "#define REFINE_SLOT(slots, offset) ((slots)[(uint32_t)(offset)*SLOT_STEP])\n";

/* The library's own kernels over them. */
static void print_refinement(struct text *out) {
    static const char factor[][32] = {"sparse/pivot_kernel.h", "sparse/damped_factor.h", "sparse/damped_kernel.h",
                                      "refinement/barrier.h", "refinement/barrier_kernel.h"};
    static const char own[][32] = {"device/policy_backend_text.h", "refinement/refine_places.h",
                                   "refinement/refine_text.h", "device/policy_refine_text.h",
                                   "device/policy_improve_text.h"};
    text_add(out, "%s", slots_of_warp);
    PRINT_FILES(out, factor);
    PRINT_FILES(out, own);
}

/* One thread of the host runs what plain policies do; of those that refine it is each thread in turn, in the memory of that thread. */
static void print_host_kernel(struct text *out, const char *name, bool refines) {
    text_add(out, "extern \"C\" void hardnet_%s(const struct policy_call *call) {\n", name);
    if (refines)
        text_add(out,
                 "    refine_width = (uint32_t)call->refinement.width;\n"
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
    static const char calls[][32] = {"device/call_text.h", "device/policy_call_text.h"};
    static const char losses[][32] = {"device/policy_loss_text.h", "device/policy_learn_text.h"};
    PRINT_FILES(out, calls);
    if (!refines)
        amalgamate_file(out, "device/policy_network_text.h", false);
    print_operators(out);
    PRINT_FILES(out, losses);
    if (refines)
        print_refinement(out);
}

hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network, bool refines,
                       hn_error *error) {
    const struct device_subject subject = {.plan = plan};
    const struct emission lists = {.network = network};
    struct text c = {.bytes = NULL}, out = {.bytes = NULL};
    emission_print_lists(&lists, &c);
    print_library(&c);
    print_texts(&c, refines);
    if (!c.failed) {
        device_print_head(&out, &subject);
        device_print_as_cpp(&out, c.bytes, false, false);
        print_kernels(&out, refines);
    }
    bool failed = c.failed || out.failed;
    text_drop(&c);
    *text = failed ? NULL : out.bytes;
    *length = failed ? 0 : out.length;
    if (failed)
        text_drop(&out);
    return failed ? error_no_memory(error, "the device's kernels") : HN_OK;
}
