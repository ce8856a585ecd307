/* kernel_variant.c - the form of a layer's kernels; see print_kernel.h and hn_device_predict.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/structs.h"
#include "codegen/cuda/print_kernel.h"
#include "codegen/passes/size_limits.h"
#include "layer/layer_plan.h"

enum {
    STRAIGHT_MOST = 9000, /* operands: see docs/decisions.md */
    ROLLED_MOST = 150000  /* bytes */
};

static const enum kernel_entry round_entries[] = {KERNEL_EVALUATE, KERNEL_RESIDUAL, KERNEL_WEIGH_ALL, KERNEL_STEP_BEGIN,
                                                  KERNEL_STEP_END};
enum { ROUND_ENTRIES = sizeof round_entries / sizeof round_entries[0] };

bool form_is_rolled(const struct ir_module *ir, enum kernel_entry entry, bool *failed) {
    size_t bytes;
    if (!parts_predict(ir, entry, &bytes)) {
        *failed = true;
        return false;
    }
    return bytes <= ROLLED_MOST;
}

static hn_status choose_form(hn_device_forecast *out, const struct ir_module *ir, hn_error *error) {
    for (int i = 0; i < ROUND_ENTRIES; i++) {
        size_t bytes;
        out->operands += ir->entry[round_entries[i]].operand_count;
        if (!parts_predict(ir, round_entries[i], &bytes))
            return error_no_memory(error, "the device's kernel");
        out->bytes = bytes > out->bytes ? bytes : out->bytes;
    }
    bool rolled = out->bytes <= out->bytes_most;
    bool straight = out->operands <= out->operands_most && ir->plan->tape_numbers == 0; /* a search is much longer */
    out->form = !ir->solves ? HN_DEVICE_DENSE
                : straight  ? HN_DEVICE_STRAIGHT
                : rolled    ? HN_DEVICE_ROLLED
                            : HN_DEVICE_LISTED;
    return HN_OK;
}

hn_status form_choose(hn_device_forecast *out, const struct plan *plan, hn_error *error) {
    struct ir_module ir;
    *out = (hn_device_forecast){.size = sizeof *out, .operands_most = STRAIGHT_MOST, .bytes_most = ROLLED_MOST};
    hn_status status = ir_create_whole(&ir, plan, false, error);
    if (status != HN_OK)
        return status;
    status = choose_form(out, &ir, error);
    ir_release(&ir);
    return status;
}

/* ---- public functions ---- */

#define FORM_TEXT(name, text) text,
static const char form_texts[][16] = {HN_DEVICE_FORM_LIST(FORM_TEXT)};

const char *hn_device_form_text(hn_device_form form) {
    return (unsigned)form < HN_DEVICE_FORM_COUNT ? form_texts[form] : "unknown";
}

hn_status hn_device_predict(hn_device_forecast *out, const hn_model *model, const hn_layer_options *layer,
                            hn_error *error) {
    hn_device_forecast own = {.size = sizeof own};
    hn_layer_options filled;
    struct plan *plan;
    if (!out || !model)
        return error_missing(error, "hn_device_predict", out ? "model" : "out");
    hn_status status = layer_plan_create(&plan, &filled, model, layer, error);
    if (status == HN_OK)
        status = form_choose(&own, plan, error);
    plan_destroy(plan);
    return status == HN_OK ? STRUCT_GIVE(hn_device_forecast, out, &own, error) : status;
}
