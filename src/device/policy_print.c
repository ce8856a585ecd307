/* policy_print.c - see policy_print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/policy_print.h"

#include "base/error.h"
#include "device/device_texts.h"
#include "program/program.h"

#define NAME_OF(name) "hardnet_" #name,
static const char kernel_names[][32] = {POLICY_KERNEL_LIST(NAME_OF)};

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
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        amalgamate_file(out, before[i], false);
    text_add(out, "\nstatic SELDOM reduced_angle reduce_angle(real size);\n");
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
        amalgamate_file(out, after[i], false);
}

static void print_kernels(struct text *out) {
    text_add(out, "#ifdef DEVICE_HOST\n");
    for (int k = 0; k < POLICY_KERNELS; k++)
        text_add(out,
                 "extern \"C\" void %s(const struct policy_call *call) {\n"
                 "    policy_%s(call, 0, 1);\n}\n",
                 kernel_names[k], kernel_names[k] + sizeof "hardnet");
    text_add(out, "#else\n");
    for (int k = 0; k < POLICY_KERNELS; k++)
        text_add(out,
                 "extern \"C\" __global__ void %s(const struct policy_call call) {\n"
                 "    policy_%s(&call, blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, gridDim.x * "
                 "(uint64_t)blockDim.x);\n}\n",
                 kernel_names[k], kernel_names[k] + sizeof "hardnet");
    text_add(out, "#endif\n");
}

hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network,
                       hn_error *error) {
    static const char own[][32] = {"device/call_text.h", "device/policy_call_text.h", "device/policy_network_text.h"};
    static const char later[][32] = {"device/policy_loss_text.h", "device/policy_learn_text.h"};
    const struct device_subject subject = {.plan = plan};
    const struct emission lists = {.network = network};
    struct text c = {.bytes = NULL}, out = {.bytes = NULL};
    emission_print_lists(&lists, &c);
    print_library(&c);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        amalgamate_file(&c, own[i], false);
    print_operators(&c);
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        amalgamate_file(&c, later[i], false);
    if (!c.failed) {
        device_print_head(&out, &subject);
        device_print_as_cpp(&out, c.bytes, false, false);
        print_kernels(&out);
    }
    bool failed = c.failed || out.failed;
    text_drop(&c);
    *text = failed ? NULL : out.bytes;
    *length = failed ? 0 : out.length;
    if (failed)
        text_drop(&out);
    return failed ? error_no_memory(error, "the device's kernels") : HN_OK;
}
