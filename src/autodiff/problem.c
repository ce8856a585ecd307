/* problem.c - copies a finished model into a separate graph, to which derivatives are added. See derivatives.h.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/defined.h"
#include "autodiff/derivatives.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/parts.h"

#include <string.h>

void problem_release(struct problem *problem) {
    graph_release(&problem->graph);
    base_release(problem->body); /* one block for all lists */
    memset(problem, 0, sizeof *problem);
}

/* One block: body, lower, upper, start, fixed, and the objective last. */
static hn_status place_lists(struct problem *problem, const hn_model *model, size_t *count, hn_error *error) {
    size_t m = model->row_count, n = model->output_count;
    *count = size_sum(size_sum(size_product(3, m), size_product(2, n)), 1);
    problem->body = base_allocate(size_product(*count, sizeof *problem->body));
    if (!problem->body)
        return error_no_memory(error, "derivatives");
    problem->lower = problem->body + m;
    problem->upper = problem->lower + m;
    problem->start = problem->upper + m;
    problem->fixed = problem->start + n;
    problem->rows = m;
    problem->outputs = n;
    problem->inputs = model->input_count;
    return HN_OK;
}

static void fill_lists(struct problem *problem, const hn_model *model) {
    for (size_t i = 0; i < problem->rows; i++) {
        problem->body[i] = model->rows[i].body;
        problem->lower[i] = model->rows[i].lower;
        problem->upper[i] = model->rows[i].upper;
    }
    for (size_t i = 0; i < problem->outputs; i++) {
        problem->start[i] = model->outputs[i].start;
        problem->fixed[i] = model->outputs[i].fixed;
    }
    problem->fixed[problem->outputs] = model->objective.value;
}

/* Bodies, bounds, fixed values and the objective become NaN if a part of them is undefined; start values need not. */
static hn_status watch_values(struct problem *problem, hn_error *error) {
    const struct watched lists[] = {{problem->body, 3 * problem->rows}, {problem->fixed, problem->outputs + 1}};
    return defined_watch(&problem->graph, lists, sizeof lists / sizeof lists[0], error);
}

hn_status problem_create(struct problem *problem, const hn_model *model, hn_error *error) {
    size_t count = 0;
    memset(problem, 0, sizeof *problem);
    hn_status status = hn_model_status(model, error);
    if (status != HN_OK)
        return status;
    if (!model->finished)
        return error_about(error, HN_INVALID, error_argument("model"), "derivatives: the model is not finished");
    if (graph_create(&problem->graph, model->graph.max_nodes) != HN_OK)
        return error_no_memory(error, "derivatives");
    status = place_lists(problem, model, &count, error);
    if (status == HN_OK) {
        fill_lists(problem, model);
        status = model_import(model, &problem->graph, problem->body, count, error);
    }
    if (status == HN_OK)
        status = watch_values(problem, error);
    if (status != HN_OK) {
        problem_release(problem);
        return status;
    }
    problem->objective = problem->fixed[problem->outputs];
    problem->graph.loose = true; /* the values are in the graph as written; derivatives come next */
    return HN_OK;
}
