/* problem.c - copies a finished model into a separate graph, to which derivatives are added; lists of nodes. See
 * derivatives.h.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "base/arena.h"
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

bool problem_take_lists(struct problem *problem, size_t rows, size_t outputs) {
    size_t count = size_sum(size_sum(size_product(3, rows), size_product(2, outputs)), 1);
    problem->body = base_allocate(size_product(count, sizeof *problem->body));
    if (!problem->body)
        return false;
    problem->lower = problem->body + rows;
    problem->upper = problem->lower + rows;
    problem->start = problem->upper + rows;
    problem->fixed = problem->start + outputs; /* one extra element, for the objective */
    problem->rows = rows;
    problem->outputs = outputs;
    return true;
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

/* Bodies, bounds, fixed values and the objective become NaN if a part of them is undefined; start values are not
 * changed. */
static hn_status replace_values(struct problem *problem, hn_error *error) {
    const struct formulas lists[] = {{problem->body, 3 * problem->rows}, {problem->fixed, problem->outputs + 1}};
    return defined_replace(&problem->graph, lists, sizeof lists / sizeof lists[0], error);
}

hn_status problem_create(struct problem *problem, const hn_model *model, hn_error *error) {
    memset(problem, 0, sizeof *problem);
    hn_status status = hn_model_status(model, error);
    if (status != HN_OK)
        return status;
    if (!model->finished)
        return error_about(error, HN_INVALID, error_argument("model"), "derivatives: the model is not finished");
    if (graph_create(&problem->graph, model->graph.max_nodes) != HN_OK)
        return error_no_memory(error, "derivatives");
    problem->inputs = model->input_count;
    if (problem_take_lists(problem, model->row_count, model->output_count)) {
        size_t count = 3 * problem->rows + 2 * problem->outputs + 1;
        fill_lists(problem, model);
        status = model_import(model, &problem->graph, problem->body, count, error);
    } else {
        status = error_no_memory(error, "derivatives");
    }
    if (status == HN_OK)
        status = replace_values(problem, error);
    if (status != HN_OK) {
        problem_release(problem);
        return status;
    }
    problem->objective = problem->fixed[problem->outputs];
    problem->graph.loose = true; /* the values are complete, as written; derivatives follow */
    return HN_OK;
}

/* ---- lists of nodes ---- */

hn_status node_list_add(struct node_list *list, const uint32_t *nodes, size_t count, hn_error *error) {
    uint32_t *grown = array_grow(list->nodes, &list->capacity, list->count + count + 1, sizeof *grown);
    if (!grown)
        return error_no_memory(error, "the outputs of a program");
    list->nodes = grown;
    if (count)
        memcpy(grown + list->count, nodes, count * sizeof *grown);
    list->count += count;
    return HN_OK;
}

void node_list_release(struct node_list *list) {
    base_release(list->nodes);
    *list = (struct node_list){.nodes = NULL};
}
