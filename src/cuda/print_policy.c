/* print_policy.c - see print_policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/print_policy.h"

#include "base/error.h"
#include "cuda/device_texts.h"

#define NAME_OF(name) "hardnet_" #name,
static const char kernel_names[][32] = {POLICY_KERNEL_LIST(NAME_OF) "hardnet_refine_step", REFINE_KERNEL_LIST(NAME_OF)};

const char *policy_kernel_name(enum policy_kernel kernel) {
    return kernel_names[kernel];
}

/* Numbers and elementary functions. */
static const char functions[] =
    "#include \"core/scalar.h\"\n"
    "#include \"base/elementary_exponential.h\"\n#include \"base/reduce.c\"\n#include \"base/elementary_circle.h\"\n"
    "#include \"base/elementary_arc.h\"\n#include \"base/elementary_hyperbolic.h\"\n";

hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network, bool refines,
                       hn_error *error) {
    const struct device_subject subject = {.plan = plan};
    const struct emission lists = {.network = network};
    struct text root = {.bytes = NULL}, out = {.bytes = NULL};
    device_print_head(&root, &subject);
    emission_print_lists(&lists, &root);
    text_add(&root, "%s", functions);
    emission_print_operators(&root, NULL);
    text_add(&root, "#include \"cuda/kernels/policy_%s.h\"\n", refines ? "refine" : "kernels");
    flatten(&out, &root);
    text_drop(&root);
    hn_status status = out.failed ? text_error(&out, "the device's kernels", error) : HN_OK;
    if (status != HN_OK)
        text_drop(&out);
    *text = out.bytes;
    *length = out.length;
    return status;
}
