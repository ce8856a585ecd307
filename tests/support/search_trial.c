/* search_trial.c - see search_trial.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/search_trial.h"

#include "support/check.h"
#include "support/run_layer.h"

#include "hardnet/inspect.h"

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

/* ---- the judge ---- */

struct judge judge_of(const hn_model *model) {
    struct judge j = {.outputs = hn_model_output_count(model), .rows = hn_model_row_count(model)};
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = HN_WANT(HN_QUANTITY_ROWS) | HN_WANT(HN_QUANTITY_LOWER) | HN_WANT(HN_QUANTITY_UPPER) |
                     HN_WANT(HN_QUANTITY_JACOBIAN_Y_W);
    if (hn_model_objective(model).name)
        options.wanted |= HN_WANT(HN_QUANTITY_GRADIENT_Y) | HN_WANT(HN_QUANTITY_OBJECTIVE);
    assert_int_equal(hn_evaluator_create(&j.evaluator, model, &options, NULL), HN_OK);
    j.c = calloc(4 * j.rows + 2 * j.outputs + 1, sizeof *j.c);
    j.lower = j.c + j.rows;
    j.upper = j.lower + j.rows;
    j.multiplier = j.upper + j.rows;
    j.pulled = j.multiplier + j.rows;
    j.slope = j.pulled + j.outputs;
    j.workspace = malloc(hn_evaluator_workspace_bytes(j.evaluator));
    return j;
}

void judge_release(struct judge *j) {
    hn_evaluator_destroy(j->evaluator);
    free(j->c);
    free(j->workspace);
}

void judge_look(struct judge *j, const double *x, const double *y, const double *l) {
    hn_evaluation e = {.size = sizeof e, .count = 1, .x = x, .y = y, .w = l};
    bool objective = hn_evaluator_width(j->evaluator, HN_QUANTITY_OBJECTIVE) > 0;
    e.values[HN_QUANTITY_ROWS] = j->c;
    e.values[HN_QUANTITY_LOWER] = j->lower;
    e.values[HN_QUANTITY_UPPER] = j->upper;
    e.values[HN_QUANTITY_JACOBIAN_Y_W] = j->pulled;
    e.values[HN_QUANTITY_GRADIENT_Y] = objective ? j->slope : NULL;
    e.values[HN_QUANTITY_OBJECTIVE] = objective ? &j->objective : NULL;
    assert_int_equal(hn_evaluator_run(j->evaluator, &e, j->workspace, hn_evaluator_workspace_bytes(j->evaluator), NULL),
                     HN_OK);
    memcpy(j->multiplier, l, j->rows * sizeof *l);
}

double judge_rows(const struct judge *j, double *largest) {
    double worst = 0;
    *largest = 1;
    for (size_t i = 0; i < j->rows; i++) {
        double c = j->c[i], lower = j->lower[i], upper = j->upper[i], l = j->multiplier[i];
        *largest = fmax(*largest, fabs(l));
        worst = fmax(worst, fmax(lower - c, c - upper));
        if (lower != upper && l != 0)
            worst = fmax(worst, l > 0 ? l * fmax(c - lower, 0) : -l * fmax(upper - c, 0));
    }
    return worst;
}

double judge_weighed(const struct judge *j) {
    double sum = 0;
    for (size_t i = 0; i < j->rows; i++) {
        double l = j->multiplier[i];
        sum += l > 0 ? l * (j->lower[i] - j->c[i]) : l < 0 ? l * (j->upper[i] - j->c[i]) : 0;
    }
    return sum;
}
