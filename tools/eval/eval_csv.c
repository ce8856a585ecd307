/* eval_csv.c - a line of CSV per sample, the data of pictures. See eval.h.
 *
 * Non-finite and missing numbers are empty. Objectives have the model's sign.
 *
 * SPDX-License-Identifier: MIT */
#include "common/csv.h"
#include "eval/eval.h"

#include <math.h>

static void eval_csv_put(struct text *text, double value) {
    if (isfinite(value))
        csv_number(text, value);
    else
        text_print(text, ",");
}

static void put_sample(struct text *text, const struct eval *eval, size_t sample) {
    const hn_report *report = &eval->reports[sample];
    text_print(text, "%zu", sample);
    for (size_t i = 0; i < eval->inputs; i++)
        eval_csv_put(text, eval_x(eval, sample)[i]);
    csv_text(text, hn_outcome_text(report->outcome));
    eval_csv_put(text, report->violation_before);
    eval_csv_put(text, report->violation);
    eval_csv_put(text, eval_shown(eval, eval->objective[sample]));
    eval_csv_put(text, eval->optima ? eval_shown(eval, eval->optima[sample].objective) : (double)NAN);
    eval_csv_put(text, eval_relative_gap(eval, sample));
    text_print(text, "\n");
}

hn_status eval_write_csv(const struct eval *eval, const char *path, hn_error *error) {
    struct text text = {.bytes = NULL};
    text_print(&text, "sample");
    for (size_t i = 0; i < eval->inputs; i++)
        csv_text(&text, hn_model_input(eval->model, i).name);
    text_print(&text, ",status,violation_before,violation,objective,reference,relative_gap\n");
    for (size_t k = 0; k < eval->reached; k++)
        put_sample(&text, eval, k);
    hn_status status = text_write(&text, path, error);
    text_release(&text);
    return status;
}
