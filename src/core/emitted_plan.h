/* emitted_plan.h - a layer's constant data in an emitted file: the part of core/plan.h that the forward and backward
 * passes of one sample read.
 *
 * Each list is an array. The names are those of core/plan.h, so that core/point.h reads both.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_EMITTED_PLAN_H
#define HN_CORE_EMITTED_PLAN_H

#include "base/real.h"
#include "core/plan_fields.h"
#include "core/sample_state.h"

struct plan_list {
    const uint32_t *words;
    uint32_t count;
};

struct plan_matrix {
    struct plan_list first, column, slot;
};

struct plan_entries {
    struct plan_list slot, entry;
};

/* Constants are the first slots. */
struct plan_program {
    struct plan_list constants;
};

struct plan_system {
    uint32_t pivot_range;
};

#define PLAN_FIELD_INNER(type, name)

struct plan {
    struct sample_options options;
    struct plan_program program;
    struct plan_system system;
    PLAN_FIELD_LIST(PLAN_FIELD_NUMBER, PLAN_FIELD_LIST_OF, PLAN_FIELD_ENTRIES, PLAN_FIELD_MATRIX, PLAN_FIELD_MATRIX,
                    PLAN_FIELD_INNER)
};

SHARED_FUNCTION const uint32_t *plan_words(const struct plan *plan, struct plan_list list) {
    (void)plan;
    return list.words;
}

/* Rows are never known at plan time: only tiled systems use that (core/plan.h). */
SHARED_FUNCTION bool plan_knows(const struct plan *plan, size_t row) {
    (void)plan;
    (void)row;
    return false;
}

#endif
