/* device_layer.c - creates and destroys a layer on a device: driver, device, context, kernels. See hardnet/device.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "cuda/device_parts.h"
#include "layer/layer_plan.h"
#include "model/parts.h"

#include <string.h>

enum { LEAST_CAPABILITY = 60 }; /* atomics and votes that the kernels use; fast doubles */

#define PRECISION_TEXT(name, text) text,
static const char precision_texts[][8] = {HN_PRECISION_LIST(PRECISION_TEXT)};

const char *hn_precision_text(hn_precision precision) {
    return (unsigned)precision < HN_PRECISION_COUNT ? precision_texts[precision] : "unknown";
}

bool hn_precision_find(const char *text, hn_precision *precision) {
    for (int i = 0; text && i < HN_PRECISION_COUNT; i++)
        if (strcmp(text, precision_texts[i]) == 0) {
            *precision = (hn_precision)i;
            return true;
        }
    return false;
}

hn_status hn_device_get_defaults(hn_device_options *out, hn_error *error) {
    const hn_device_options own = {.size = sizeof own, .gradients = true};
    return STRUCT_GIVE(hn_device_options, out, &own, error);
}

hn_status hn_device_get_info(const hn_device_layer *layer, hn_device_info *out, hn_error *error) {
    if (!layer)
        return error_missing(error, "hn_device_get_info", "layer");
    return STRUCT_GIVE(hn_device_info, out, &layer->info, error);
}

/* ---- the context ---- */

hn_status device_enter(const hn_device_layer *layer, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    return driver_status(cu, cu->context_push(layer->context), "use its context", error);
}

void device_leave(const hn_device_layer *layer) {
    cuda_context unused;
    layer->driver.context_pop(&unused);
}

/* ---- the device ---- */

static hn_status look_at_device(hn_device_layer *layer, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    hn_device_info *info = &layer->info;
    int major = 0, minor = 0;
    cu->version(&info->driver);
    const struct {
        int *value, attribute;
    } wanted[] = {{&major, CUDA_CAPABILITY_MAJOR},
                  {&minor, CUDA_CAPABILITY_MINOR},
                  {&info->multiprocessors, CUDA_MULTIPROCESSORS},
                  {&layer->shared_most, CUDA_SHARED_BYTES},
                  {&layer->has_pools, CUDA_HAS_POOLS}};
    cuda_result failed = cu->device_name(info->name, HN_DEVICE_NAME_BYTES, layer->device);
    for (size_t i = 0; failed == 0 && i < sizeof wanted / sizeof wanted[0]; i++)
        failed = cu->device_attribute(wanted[i].value, wanted[i].attribute, layer->device);
    if (failed == 0)
        failed = cu->device_memory(&layer->memory, layer->device);
    hn_status status = driver_status(cu, failed, "look at it", error);
    info->capability = 10 * major + minor;
    if (status == HN_OK && info->capability < LEAST_CAPABILITY)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: %s is too old: its compute capability is %d.%d, the least is %d.%d",
                           info->name, major, minor, LEAST_CAPABILITY / 10, LEAST_CAPABILITY % 10);
    return status;
}

static hn_status choose_device(hn_device_layer *layer, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    int count = 0, number = layer->options.device;
    hn_status status = driver_status(cu, cu->device_count(&count), "count devices", error);
    if (status != HN_OK)
        return status;
    if (number < 0 || number >= count)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: there is no device number %d; there are %d", number, count);
    status = driver_status(cu, cu->device_get(&layer->device, number), "find it", error);
    return status == HN_OK ? look_at_device(layer, error) : status;
}

hn_status device_hold(hn_device_layer *layer, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    hn_status status = driver_status(cu, cu->context_retain(&layer->context, layer->device), "get its context", error);
    if (status != HN_OK)
        layer->context = NULL;
    return status;
}

/* ---- creation ---- */

static hn_status device_layer_check_options(const hn_device_options *options, hn_error *error) {
    if ((unsigned)options->precision >= HN_PRECISION_COUNT)
        return error_about(error, HN_INVALID, error_option("precision"), "precision %d: there is no such one",
                           (int)options->precision);
    if (options->tape_steps < 0)
        return error_about(error, HN_INVALID, error_option("tape_steps"), "tape_steps %d: it must not be negative",
                           options->tape_steps);
    return HN_OK;
}

/* Certificates need double precision. */
static hn_status check_method(const hn_device_layer *layer, hn_error *error) {
    if (layer->plan->tape_numbers == 0 || layer->options.precision == HN_PRECISION_FLOAT64)
        return HN_OK;
    return error_about(error, HN_INVALID, error_option("precision"), "precision %s: the method %s is one of float64",
                       hn_precision_text(layer->options.precision), hn_method_text(layer->layer.method));
}

static void device_layer_describe(hn_device_layer *layer) {
    layer->info.size = sizeof layer->info;
    layer->info.inputs = layer->plan->inputs;
    layer->info.outputs = layer->plan->outputs;
    layer->info.rows = layer->plan->rows;
    layer->info.precision = layer->options.precision;
    if (layer->options.tape_steps == 0)
        layer->options.tape_steps = (int)layer->plan->tape_steps;
}

static hn_status device_layer_fill(hn_device_layer *layer, const hn_model *model, const hn_layer_options *options,
                                   hn_error *error) {
    hn_status status = layer_plan_create(&layer->plan, &layer->layer, model, options, error);
    if (status == HN_OK)
        status = check_method(layer, error);
    if (status == HN_OK)
        status = form_choose(&layer->choice, layer->plan, error);
    if (status == HN_OK)
        status = driver_open(&layer->driver, error);
    if (status == HN_OK)
        status = choose_device(layer, error);
    if (status == HN_OK)
        status = device_make_kernels(layer, model, error);
    if (status == HN_OK)
        status = device_search_create(layer, model, error);
    if (status == HN_OK)
        device_layer_describe(layer);
    return status;
}

hn_status hn_device_layer_create(hn_device_layer **out, const hn_model *model, const hn_layer_options *layer,
                                 const hn_device_options *options, hn_error *error) {
    hn_device_options own = {.size = sizeof own};
    hn_device_get_defaults(&own, NULL);
    if (!out)
        return error_missing(error, "hn_device_layer_create", "out");
    *out = NULL;
    if (!model)
        return error_missing(error, "hn_device_layer_create", "model");
    hn_status status = options ? STRUCT_TAKE_OPTIONS(hn_device_options, &own, options, error) : HN_OK;
    if (status == HN_OK)
        status = device_layer_check_options(&own, error);
    if (status == HN_OK)
        status = model_without_blocks(model, "layers on a GPU do", error);
    if (status != HN_OK)
        return status;
    hn_device_layer *made = base_allocate(sizeof *made);
    if (!made)
        return error_no_memory(error, "the layer");
    memset(made, 0, sizeof *made);
    made->options = own;
    status = device_layer_fill(made, model, layer, error);
    made->options.compiler = NULL; /* the caller's */
    if (status != HN_OK)
        hn_device_layer_destroy(made);
    else
        *out = made;
    return status;
}

static void unload(const hn_device_layer *layer, const struct device_kernel *kernel) {
    if (kernel->lists)
        layer->driver.release(kernel->lists);
    if (kernel->module)
        layer->driver.module_unload(kernel->module);
}

void hn_device_layer_destroy(hn_device_layer *layer) {
    if (!layer)
        return;
    device_search_destroy(layer);
    if (layer->context && device_enter(layer, NULL) == HN_OK) {
        unload(layer, &layer->run);
        unload(layer, &layer->pull);
        unload(layer, &layer->coarse_run);
        unload(layer, &layer->coarse_pull);
        device_leave(layer);
    }
    if (layer->context)
        layer->driver.context_release(layer->device);
    driver_close(&layer->driver);
    plan_destroy(layer->plan);
    base_release(layer);
}
