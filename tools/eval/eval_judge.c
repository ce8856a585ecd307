/* eval_judge.c - rows and objective of one sample by plain evaluation, which shares no code with the layer. See eval.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "eval/eval.h"

#include <math.h>
#include <string.h>

bool eval_judge_create(struct eval_judge *judge, const hn_model *model, bool relative) {
    size_t rows = hn_model_row_count(model);
    *judge = (struct eval_judge){.model = model, .rows = rows, .relative = relative};
    judge->exprs = eval_take(3 * rows + 1, 1, sizeof *judge->exprs);
    judge->values = eval_take(3 * rows + 1, 1, sizeof *judge->values);
    judge->residual = eval_take(rows + 1, 1, sizeof *judge->residual);
    if (!judge->exprs || !judge->values || !judge->residual) {
        eval_judge_release(judge);
        return false;
    }
    for (size_t i = 0; i < rows; i++) {
        hn_row_info row = hn_model_row(model, i);
        judge->exprs[3 * i] = row.lower;
        judge->exprs[3 * i + 1] = row.body;
        judge->exprs[3 * i + 2] = row.upper;
    }
    judge->exprs[3 * rows] = hn_model_objective(model).minimized;
    return true;
}

void eval_judge_release(struct eval_judge *judge) {
    base_release(judge->exprs);
    base_release(judge->values);
    base_release(judge->residual);
    memset(judge, 0, sizeof *judge);
}

/* One row: r, and how large |r| may be. */
static double judge_row(const double *values, double tolerance, bool relative, double *allowed) {
    const double rounding = 1e-14;
    double lower = values[0], c = values[1], upper = values[2];
    if (isnan(lower) || isnan(c) || isnan(upper))
        return NAN;
    bool lower_counts = c < lower && !(c - upper > lower - c); /* of crossed bounds the farther one counts */
    double bound = lower_counts ? lower : c > upper ? upper : c;
    *allowed = tolerance * (relative ? fmax(1, fabs(bound)) : 1) + rounding * fmax(fabs(c), fabs(bound));
    return c - bound;
}

hn_status eval_judge_point(struct eval_judge *judge, const double *x, const double *y, double tolerance,
                           struct judgement *judgement, hn_error *error) {
    bool has_objective = hn_model_objective(judge->model).name != NULL;
    size_t count = 3 * judge->rows + has_objective;
    *judgement = (struct judgement){.worst = SIZE_MAX, .objective = NAN, .held = true};
    hn_status status = hn_model_evaluate(judge->model, count, judge->exprs, x, y, judge->values, error);
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < judge->rows; i++) {
        double allowed = 0, r = judge_row(judge->values + 3 * i, tolerance, judge->relative, &allowed);
        double size = isnan(r) ? INFINITY : fabs(r);
        judge->residual[i] = r;
        judgement->held = judgement->held && size <= allowed;
        if (judgement->worst == SIZE_MAX || size > judgement->violation) {
            judgement->violation = size;
            judgement->worst = i;
        }
    }
    if (has_objective)
        judgement->objective = judge->values[count - 1];
    return HN_OK;
}

double eval_feasible(const struct eval *eval) {
    return fmax(1e-7, eval->settings.layer.tolerance);
}
