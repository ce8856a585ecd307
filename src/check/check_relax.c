/* check_relax.c - a model with the rows of some groups only. See check_parts.h.
 *
 * Nodes are copied from graph to graph; definitions and fixed outputs are replaced by their values. The objective and
 * the requirements on inputs are omitted: the layer does not need them.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "check/check_parts.h"
#include "model/parts.h"

/* ---- copied nodes: start and fixed value of every output, then lower bound, body and upper bound of every row kept
 * ---- */

enum { PER_OUTPUT = 2, PER_ROW = 3, EXTRA_NODES = 16 /* initial constants of new outputs */ };

static bool is_kept(const struct check *check, const unsigned char *keep, size_t row) {
    return keep[check->model->rows[row].group] != 0;
}

static uint32_t *list_roots(const struct check *check, const unsigned char *keep, size_t *count) {
    const hn_model *model = check->model;
    size_t capacity = 0, n = 0;
    uint32_t *roots =
        array_grow(NULL, &capacity, PER_OUTPUT * check->columns + PER_ROW * check->rows + 1, sizeof *roots);
    for (size_t j = 0; roots && j < check->columns; j++) {
        roots[n++] = model->outputs[j].start;
        roots[n++] = model->outputs[j].fixed;
    }
    for (size_t i = 0; roots && i < check->rows; i++)
        if (is_kept(check, keep, i)) {
            roots[n++] = model->rows[i].lower;
            roots[n++] = model->rows[i].body;
            roots[n++] = model->rows[i].upper;
        }
    *count = n;
    return roots;
}

/* ---- building the model ---- */

static void add_leaves(hn_model *to, const struct check *check) {
    for (size_t i = 0; i < check->inputs; i++)
        hn_input(to, check->model->inputs[i].name);
    for (size_t j = 0; j < check->columns; j++)
        hn_output(to, check->model->outputs[j].name);
}

static void set_outputs(hn_model *to, const struct check *check, const uint32_t *roots) {
    for (size_t j = 0; j < check->columns; j++, roots += PER_OUTPUT) {
        hn_expr output = {to, to->outputs[j].node};
        hn_output_start(output, (hn_expr){to, roots[0]});
        if (roots[1] != 0)
            hn_output_fix(output, (hn_expr){to, roots[1]});
    }
}

/* Names are unique: the bounds of an output must be added as such. */
static void add_rows(hn_model *to, const struct check *check, const unsigned char *keep, const uint32_t *roots) {
    for (size_t i = 0; i < check->rows; i++) {
        size_t column;
        if (!is_kept(check, keep, i))
            continue;
        hn_expr lower = {to, roots[0]}, body = {to, roots[1]}, upper = {to, roots[2]};
        if (check_is_bound(check, i, &column))
            hn_output_between((hn_expr){to, to->outputs[column].node}, lower, upper);
        else
            hn_constrain_between(to, check->model->rows[i].name, lower, body, upper);
        roots += PER_ROW;
    }
}

static hn_status check_relax_fill(hn_model *to, const struct check *check, const unsigned char *keep, hn_error *error) {
    size_t count;
    uint32_t *roots = list_roots(check, keep, &count);
    if (!roots)
        return error_no_memory(error, "a relaxed model");
    add_leaves(to, check);
    hn_status status = hn_model_status(to, error);
    if (status == HN_OK)
        status = model_import(check->model, &to->graph, roots, count, error);
    if (status == HN_OK) {
        set_outputs(to, check, roots);
        add_rows(to, check, keep, roots + PER_OUTPUT * check->columns);
        status = hn_model_finish(to, error);
    }
    base_release(roots);
    return status;
}

hn_status relax_model(hn_model **out, const struct check *check, const unsigned char *keep, hn_error *error) {
    hn_model_options options = hn_model_defaults();
    options.max_nodes = check->model->graph.max_nodes + EXTRA_NODES;
    hn_status status = hn_model_create(out, &options, error);
    if (status == HN_OK)
        status = check_relax_fill(*out, check, keep, error);
    if (status != HN_OK) {
        hn_model_destroy(*out);
        *out = NULL;
    }
    return status;
}
