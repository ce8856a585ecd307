/* check_run.c - hn_model_check: runs the parts of a check. See check_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "check/check_parts.h"

#include <string.h>

hn_status hn_check_get_defaults(hn_check_options *out, hn_error *error) {
    hn_check_options own = {.size = sizeof own, .points = 4, .seed = 1};
    return STRUCT_GIVE(hn_check_options, out, &own, error);
}

static hn_status take_options(hn_check_options *own, const hn_check_options *options, const hn_model *model,
                              hn_error *error) {
    *own = hn_check_defaults();
    hn_status status = options ? STRUCT_TAKE(hn_check_options, own, options, error) : HN_OK;
    if (status != HN_OK)
        return status;
    own->points = own->points ? own->points : hn_check_defaults().points;
    if (own->points > HN_CHECK_POINTS)
        return error_about(error, HN_INVALID, error_option("points"), "points %zu: choose 1 to %d", own->points,
                           HN_CHECK_POINTS);
    if (own->threads < 0)
        return error_about(error, HN_INVALID, error_option("threads"), "threads %d: choose 0 (one per core) or more",
                           own->threads);
    if (!own->x || hn_model_input_count(model) == 0)
        own->x_rows = 0;
    return HN_OK;
}

static void run_parts(struct check *check) {
    void (*const parts[])(struct check *) = {check_prepare,  check_points,  check_evaluate, check_differences,
                                             check_products, check_correct, check_conflict, check_rank,
                                             check_theorem,  check_findings};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && check->status == HN_OK; i++)
        parts[i](check);
}

hn_status hn_model_check(hn_check **out, const hn_model *model, const hn_check_options *options, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_model_check", "out");
    *out = NULL;
    if (!model)
        return error_missing(error, "hn_model_check", "model");
    struct check *check = base_allocate(sizeof *check);
    if (!check)
        return error_no_memory(error, "check");
    memset(check, 0, sizeof *check);
    check->model = model;
    check->error = error;
    check->status = take_options(&check->options, options, model, error);
    run_parts(check);
    hn_status status = check->status;
    if (status == HN_OK)
        *out = &check->found;
    else
        hn_check_destroy(&check->found);
    return status;
}

/* The result is the first member of the check. */
void hn_check_destroy(hn_check *found) {
    struct check *check = (struct check *)(void *)found;
    if (!check)
        return;
    hn_evaluator_destroy(check->evaluator);
    arena_release(&check->arena);
    base_release(check);
}
