/* kernel_global.c - see kernel_global_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/kernel_global_plan.h"

#include "base/error.h"
#include "base/size.h"
#include "cuda/device_search.h"

#include <string.h>

#include "cuda/kernels/kernel_args.h"

/* Blocks at once on a multiprocessor. Of the paper's straight code in double one warp for each of its schedulers: more would hide
 * latency, but their slots and spilled registers leave the caches, and with 8 the steps of 100 000 samples take 1.5 times as long.
 * Methods with weights leave them anyway, as do slots in the device's memory, and floats fit: 8 take 0.9 and 0.6 of the time of 4. */
enum { MOST_STRAIGHT = 4, MOST_MANY = 8, MOST_JUDGING = 16, MOST_FAR = 8 };

/* Slots take at most this part of the device's memory. */
enum { MEMORY_SHARE = 8 };

static bool is_far(const hn_device_layer *layer) {
    return layer->choice.form != HN_DEVICE_STRAIGHT;
}

/* ---- text and lists ---- */

hn_status device_print_chosen(struct global_code *out, const hn_device_layer *layer,
                              const struct device_subject *subject, hn_error *error) {
    *out = (struct global_code){.text = NULL};
    if (is_far(layer))
        return global_print(out, subject, error);
    return device_print(&out->text, &out->length, &out->near, subject, error);
}

/* struct bytecode_memory of bytecode_run.h. */
struct lists {
    cuda_address words, numbers;
};

static hn_status copy_lists(const hn_device_layer *layer, const struct lists *at, const struct bytecode *listed,
                            cuda_address place, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    static const char what[] = "copy the statements to it";
    hn_status status = HN_OK;
    if (listed->number_count > 0)
        status = driver_status(
            cu, cu->copy_in(at->numbers, listed->numbers, listed->number_count * bytecode_number_bytes(listed), NULL),
            what, error);
    if (status == HN_OK)
        status = driver_status(cu, cu->copy_in(at->words, listed->words, listed->count * sizeof *listed->words, NULL),
                               what, error);
    if (status == HN_OK)
        status = driver_status(cu, cu->copy_in(place, at, sizeof *at, NULL), what, error);
    hn_status waited = driver_status(cu, cu->stream_wait(NULL), what, status == HN_OK ? error : NULL);
    return status == HN_OK ? waited : status;
}

hn_status device_give_lists(const hn_device_layer *layer, struct device_kernel *kernel, const struct global_code *code,
                            hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    const struct bytecode *listed = &code->listed;
    size_t numbers = listed->number_count * bytecode_number_bytes(listed), bytes = 0;
    cuda_address place = 0;
    if (listed->count == 0)
        return HN_OK;
    hn_status status = driver_status(cu, cu->module_global(&place, &bytes, kernel->module, "hardnet_listed"),
                                     "find the place of the statements", error);
    if (status != HN_OK)
        return status;
    status = driver_status(cu, cu->allocate(&kernel->lists, numbers + listed->count * sizeof *listed->words),
                           "take memory for the statements", error);
    if (status != HN_OK) {
        kernel->lists = 0;
        return status;
    }
    const struct lists at = {kernel->lists + numbers, kernel->lists};
    return copy_lists(layer, &at, listed, place, error);
}

/* ---- threads and memory ---- */

unsigned device_most_warps(const hn_device_layer *layer, const struct device_subject *subject) {
    bool weighted = layer->plan->options.weighted, judges = subject->polish && !weighted;
    return is_far(layer) ? MOST_FAR : judges ? MOST_JUDGING : subject->single || weighted ? MOST_MANY : MOST_STRAIGHT;
}

/* Of all samples of a warp. */
static uint64_t warp_bytes(const hn_device_layer *layer, const struct device_kernel *kernel) {
    return (kernel->sample_bytes + (uint64_t)device_search_bytes(layer)) * kernel->width;
}

unsigned device_warps(const hn_device_layer *layer, const struct device_kernel *kernel, uint64_t count) {
    uint64_t warps = (count + kernel->width - 1) / kernel->width;
    warps = warps < kernel->warps ? warps : kernel->warps;
    if (kernel->sample_bytes == 0)
        return (unsigned)warps;
    uint64_t most = layer->memory / MEMORY_SHARE / warp_bytes(layer, kernel);
    most = most < 1 ? 1 : most;
    return (unsigned)(warps < most ? warps : most);
}

/* Of the kernel that takes most: they run one behind the other. */
bool device_far_bytes(const hn_device_layer *layer, size_t count, size_t *bytes) {
    const struct device_kernel *const kernels[] = {&layer->run, &layer->pull, &layer->coarse_run, &layer->coarse_pull};
    *bytes = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        size_t own;
        if (kernels[i]->sample_bytes == 0)
            continue;
        if (!size_multiply(device_warps(layer, kernels[i], count), (size_t)warp_bytes(layer, kernels[i]), &own))
            return false;
        *bytes = own > *bytes ? own : *bytes;
    }
    return true;
}

void device_far_place(const hn_device_layer *layer, const struct device_kernel *kernel, struct device_call *call,
                      void *memory) {
    if (kernel->sample_bytes == 0)
        return;
    size_t threads = device_warps(layer, kernel, call->count) * (size_t)kernel->width;
    call->search = device_search_places(layer);
    if (call->search)
        call->search_memory = memory;
    memory = (unsigned char *)memory + threads * device_search_bytes(layer);
    call->global_slots = memory;
    call->global_rows = (real *)(void *)((unsigned char *)memory + threads * kernel->slot_bytes);
}
