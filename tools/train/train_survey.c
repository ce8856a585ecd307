/* train_survey.c - the survey of the inputs before the training. See train.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "common/interrupt.h"
#include "common/survey.h"
#include "common/verbs.h"
#include "train/train.h"

#include <stdio.h>

enum { ENOUGH = 20 }; /* inputs that were decided: if all of these fail, training is stopped */

/* Baselines need not satisfy the constraints. */
static bool is_hopeless(const struct training *t, const struct survey *found) {
    return found->ok == 0 && survey_decided(found) >= ENOUGH && t->options->scheme == SCHEME_LAYER &&
           !t->options->by_loss;
}

static hn_status train_survey_look(struct training *t, const double *x, size_t rows, hn_error *error) {
    struct survey_options options = survey_defaults();
    options.count = t->options->survey;
    options.x = x;
    options.rows = rows;
    options.threads = (int)t->options->common.threads;
    options.cancel = interrupt_begin();
    return survey_run(&t->found, t->model, &options, error);
}

static hn_status look_at_source(struct training *t, hn_error *error) {
    const struct train_file *file = &t->source.x;
    size_t wanted = t->options->survey, rows = file->rows < wanted ? file->rows : wanted;
    if (rows == 0)
        return train_survey_look(t, NULL, 0, error);
    double *x = train_numbers(rows, file->columns);
    hn_status status = x ? file_rows(file, 0, rows, x, error) : error_no_memory(error, "rows of --x");
    if (status == HN_OK)
        status = train_survey_look(t, x, rows, error);
    base_release(x);
    return status;
}

static void print(const struct training *t) {
    enum { WIDTH = 16 };
    printf("Inputs, %zu %s\n", t->found.count, t->source.x.rows > 0 ? "of --x" : "sampled");
    survey_print(&t->found, t->model, WIDTH);
    fflush(stdout);
}

int training_survey(struct training *t) {
    hn_error error = {.status = HN_OK};
    if (t->options->survey == 0 || t->source.inputs == 0 || t->options->resume)
        return VERB_OK;
    if (look_at_source(t, &error) != HN_OK)
        return verb_explain(&error);
    if (interrupt_came() || !is_hopeless(t, &t->found))
        return VERB_OK;
    print(t);
    console_error("no feasible output was found for any of %zu inputs, so nothing was trained; hardnet check looks for "
                  "constraints that contradict each other, --survey 0 trains all the same",
                  survey_decided(&t->found));
    return VERB_NOT_OK;
}

void training_print_survey(const struct training *t) {
    if (t->found.count == 0 || interrupt_came())
        return;
    print(t);
    survey_warn(&t->found, t->model);
}
