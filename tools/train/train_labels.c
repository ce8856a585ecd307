/* train_labels.c - targets made by a solver, for inputs drawn from the source: by IPOPT, or by the method optimal
 * (train_teacher.c).
 *
 * Unsolved inputs are replaced by others, up to twice the number of labels.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "reference/reference.h"
#include "train/train.h"

enum { TRIES = 2 }; /* per label */

hn_status source_label_input(const struct train_source *s, size_t number, double *x, hn_error *error) {
    struct random random = train_random(s->seed, STREAM_LABELS, number);
    return source_row(s, &random, x, NULL, error);
}

static hn_status solve_one(struct train_source *s, struct reference *reference, size_t number, hn_error *error) {
    struct reference_result result;
    double *x = s->label_x + s->labels * s->inputs, *y = s->label_y + s->labels * s->outputs;
    hn_status status = source_label_input(s, number, x, error);
    if (status == HN_OK)
        status = reference_solve(reference, x, NULL, y, &result, error);
    if (status == HN_OK && result.solved)
        s->labels++;
    return status;
}

static hn_status solve_all(struct train_source *s, struct reference *reference, size_t most, hn_error *error) {
    struct progress progress;
    hn_status status = HN_OK;
    progress_begin(&progress, "labels by the reference", s->most_labels);
    for (size_t i = 0; status == HN_OK && i < most && s->labels < s->most_labels && !interrupt_came(); i++) {
        status = solve_one(s, reference, i, error);
        progress_update(&progress, s->labels);
    }
    progress_end(&progress);
    return status;
}

static hn_status refer_labels(struct train_source *s, size_t most, hn_error *error) {
    struct reference *reference = NULL;
    hn_status status = reference_create(&reference, s->model, NULL, error);
    if (status == HN_OK)
        status = solve_all(s, reference, most, error);
    reference_destroy(reference);
    return status;
}

hn_status source_solve_labels(struct train_source *s, const struct train_options *options, hn_error *error) {
    size_t most = TRIES * s->most_labels;
    s->labels = 0;
    const struct train_lesson lesson = {(int)options->common.threads, options->multistart, most};
    hn_status status =
        train_has_teacher(options) ? source_teach_labels(s, &lesson, error) : refer_labels(s, most, error);
    if (status == HN_OK && s->labels == 0 && !interrupt_came())
        return error_set(error, HN_INVALID, "--reference: of %zu inputs the solver solved none", most);
    return status;
}

hn_status source_make_labels(struct train_source *s, size_t count, hn_error *error) {
    s->label_x = train_numbers(count, s->inputs);
    s->label_y = train_numbers(count, s->outputs);
    s->label_f = train_numbers(count, 1);
    s->most_labels = count;
    bool room = s->label_x && s->label_y && s->label_f && source_scale_inputs(s);
    return room ? HN_OK : error_no_memory(error, "labels");
}
