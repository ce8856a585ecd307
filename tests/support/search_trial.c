/* search_trial.c - see search_trial.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/search_trial.h"

#include "support/run_layer.h"

#include <stdlib.h>

struct outcome run_one(const struct random_problem *problem, hn_method method) {
    struct outcome o = {.y = calloc(problem->outputs + 1, sizeof *o.y),
                        .proof_y = calloc(problem->outputs + 1, sizeof *o.proof_y),
                        .l = calloc(problem->rows + 1, sizeof *o.l)};
    bool proves = method == HN_METHOD_NEAREST || method == HN_METHOD_OPTIMAL;
    hn_layer *layer = layer_of(problem->model, layer_method(method));
    hn_batch batch = batch_of(1, problem->x, problem->raw, o.y, &o.report);
    batch.multipliers = proves ? o.l : NULL;
    batch.proof_y = proves ? o.proof_y : NULL;
    layer_run(layer, &batch);
    hn_layer_destroy(layer);
    return o;
}

void outcome_release(struct outcome *outcome) {
    free(outcome->y);
    free(outcome->proof_y);
    free(outcome->l);
}

double *draw(struct random *random, size_t count, double low, double high) {
    double *list = malloc((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = random_between(random, low, high);
    return list;
}

double inner(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}
