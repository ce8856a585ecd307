/* check_correct.c - whether the layer with default options corrects the start. See check_parts.h.
 *
 * The start is corrected for the inputs of every point.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "check/check_parts.h"

static const double WORK_LIMIT = 2e9; /* total, all steps */
enum { LEAST_STEPS = 20 };

/* ---- layers ---- */

hn_layer *check_make_layer(struct check *check, const hn_layer_options *options, const char **why_not) {
    hn_error own = {.status = HN_OK};
    hn_layer *layer;
    hn_status status = hn_layer_create(&layer, check->model, options, &own);
    *why_not = NULL;
    if (status == HN_NO_MEMORY)
        check->status = error_set(check->error, status, "%s", own.text);
    else if (status != HN_OK)
        *why_not = check_format(check, "%s", own.text);
    return layer;
}

hn_status check_run_layer(const hn_layer *layer, const hn_batch *batch, hn_error *error) {
    size_t bytes = hn_layer_workspace_bytes(layer);
    void *workspace = base_allocate(bytes);
    if (!workspace)
        return error_no_memory(error, "running the layer");
    hn_status status = hn_layer_run(layer, batch, workspace, bytes, error);
    base_release(workspace);
    return status;
}

/* ---- the start ---- */

/* Creates the layer; again with fewer steps if the method's default would take too long. */
static hn_layer *make(hn_check_correction *c, struct check *check) {
    hn_layer_options options = hn_layer_defaults();
    hn_layer *layer = check_make_layer(check, &options, &c->why_not);
    if (!layer)
        return NULL;
    c->options = hn_layer_options_of(layer);
    c->own_iterations = c->options.iterations;
    c->info = hn_layer_info_of(layer);
    double most = WORK_LIMIT / check_step_work(&c->info);
    if (most >= c->own_iterations)
        return layer;
    options.iterations = most > LEAST_STEPS ? (int)most : LEAST_STEPS;
    c->options.iterations = options.iterations;
    hn_layer_destroy(layer);
    return check_make_layer(check, &options, &c->why_not);
}

static void summarise(hn_check_correction *c) {
    for (size_t k = c->count; k-- > 0;) {
        bool ok = c->reports[k].outcome == HN_OUTCOME_OK;
        c->ok += ok;
        c->failed = ok ? c->failed : k;
    }
}

static void run_correction(hn_check_correction *c, struct check *check, const hn_layer *layer) {
    c->count = c->failed = check->inputs > 0 ? check->points : 1;
    c->reports = check_take(check, c->count, sizeof *c->reports);
    c->y = check_take(check, c->count * check->columns, sizeof *c->y);
    c->residual = check_take(check, c->count * check->rows, sizeof *c->residual);
    const hn_batch batch = {.size = sizeof batch,
                            .count = c->count,
                            .x = check->found.x,
                            .y = c->y,
                            .report_size = sizeof(hn_report),
                            .reports = c->reports,
                            .residual = c->residual};
    if (check->status == HN_OK)
        check->status = check_run_layer(layer, &batch, check->error);
    if (check->status == HN_OK)
        summarise(c);
}

void check_correct(struct check *check) {
    hn_check_correction *c = check->found.correction = check_take(check, 1, sizeof *c);
    check_stage(check, "correcting the start");
    if (!c)
        return;
    if (check->rows == 0) {
        c->why_not = "the model has no rows";
        return;
    }
    hn_layer *layer = make(c, check);
    if (layer)
        run_correction(c, check, layer);
    hn_layer_destroy(layer);
}
