/* search_judge.c - see search_judge.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/search_judge.h"

#include "hardnet/inspect.h"
#include "support/check.h"

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
