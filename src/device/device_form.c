/* device_form.c - see device_form.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/device_form.h"

#include "base/error.h"
#include "generate/part_sizes.h"

enum {
    STRAIGHT_MOST = 12000, /* operands */
    ROLLED_MOST = 150000   /* bytes */
};

static const enum kernel_entry round_entries[] = {KERNEL_EVALUATE, KERNEL_RESIDUAL, KERNEL_WEIGH_ALL, KERNEL_STEP_BEGIN,
                                                  KERNEL_STEP_END};
enum { ROUND_ENTRIES = sizeof round_entries / sizeof round_entries[0] };

bool form_is_rolled(const struct walk *walk, enum kernel_entry entry, bool *failed) {
    size_t bytes;
    if (!parts_predict(walk, entry, &bytes)) {
        *failed = true;
        return false;
    }
    return bytes <= ROLLED_MOST;
}

/* The linear system is part of the statements. */
static hn_status refuse(const struct plan *plan, hn_error *error) {
    const struct plan_system *system = &plan->system;
    return error_about(error, HN_UNSUPPORTED, error_option("device"),
                       "device cuda: the linear system of this model is %s, which a device does not have: %u unknowns, "
                       "%u entries of its factor, %.0f products",
                       system->kind == FACTOR_WALKED ? "too full for lists" : "dense", system->order, system->nonzeros,
                       system->multiply_adds);
}

static hn_status look(struct form_choice *out, const struct walk *walk, hn_error *error) {
    bool rolled = true;
    for (int i = 0; i < ROUND_ENTRIES; i++) {
        size_t bytes;
        out->operands += walk->entry[round_entries[i]].operand_count;
        if (!parts_predict(walk, round_entries[i], &bytes))
            return error_no_memory(error, "the device's kernel");
        out->bytes += bytes;
        rolled = rolled && bytes <= ROLLED_MOST;
    }
    out->form = out->operands <= out->most ? FORM_STRAIGHT : rolled ? FORM_ROLLED : FORM_LISTED;
    return HN_OK;
}

hn_status form_choose(struct form_choice *out, const struct plan *plan, hn_error *error) {
    struct walk walk;
    *out = (struct form_choice){.most = STRAIGHT_MOST, .most_bytes = ROLLED_MOST};
    hn_status status = walk_create_whole(&walk, plan, false, error);
    if (status != HN_OK)
        return status;
    status = walk.solves ? look(out, &walk, error) : refuse(plan, error);
    walk_release(&walk);
    return status;
}
