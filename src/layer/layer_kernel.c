/* layer_kernel.c - compiles the kernel for a layer before the layer exists. See hardnet/kernel.h.
 *
 * In a separate file, so that programs that create layers do not link the compiler.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/structs.h"
#include "layer/driver.h"

hn_status hn_kernel_get_defaults(hn_kernel_options *out, hn_error *error) {
    const hn_kernel_options own = {.size = sizeof own, .gradients = true, .seconds = 600};
    return STRUCT_GIVE(hn_kernel_options, out, &own, error);
}

static hn_status layer_kernel_compile(hn_layer *layer, const hn_model *model, const hn_layer_options *options,
                                      const hn_kernel_options *wanted, hn_kernel_info *info, hn_error *error) {
    char fingerprint[HN_FINGERPRINT_BYTES];
    hn_status status = layer_plan(layer, model, options, error);
    if (status == HN_OK)
        status = hn_model_fingerprint(model, fingerprint, error);
    if (status != HN_OK)
        return status;
    const struct kernel_subject subject = {.plan = layer->plan, .options = &layer->steps, .model = fingerprint};
    return compile_kernel(info, &subject, wanted, error);
}

hn_status hn_kernel_compile(const hn_model *model, const hn_layer_options *layer, const hn_kernel_options *options,
                            hn_kernel_info *out, hn_error *error) {
    hn_kernel_options wanted = hn_kernel_defaults();
    hn_status status = options ? STRUCT_TAKE_OPTIONS(hn_kernel_options, &wanted, options, error) : HN_OK;
    if (status != HN_OK)
        return status;
    if (!model)
        return error_missing(error, "hn_kernel_compile", "model");
    if (!out)
        return error_missing(error, "hn_kernel_compile", "out");
    if (!(wanted.seconds > 0))
        return error_about(error, HN_INVALID, error_option("seconds"), "seconds must be more than 0, not %g",
                           wanted.seconds);
    const hn_kernel_info none = {.size = sizeof none};
    status = STRUCT_GIVE(hn_kernel_info, out, &none, error);
    if (status != HN_OK)
        return status;
    hn_layer own = {.plan = NULL};
    hn_kernel_info info = {.size = sizeof info};
    status = layer_kernel_compile(&own, model, layer, &wanted, &info, error);
    layer_release(&own);
    return status == HN_OK ? STRUCT_GIVE(hn_kernel_info, out, &info, error) : status;
}
