/* train_build.c - everything that a training needs, from its options.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/console.h"
#include "common/interrupt.h"
#include "common/verbs.h"
#include "train/train.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the network and its trainer ---- */

static hn_status network_with(struct training *t, const struct train_columns *columns, hn_error *error) {
    hn_network_options options = t->options->network;
    options.inputs = t->source.inputs;
    if (!size_multiply(columns->count, t->options->candidates, &options.outputs))
        return error_no_memory(error, "the network");
    hn_status status = hn_network_create(&t->network, &options, error);
    bool scaled = !options.uniform;
    return status == HN_OK && scaled ? scaling_set(t->network, &t->source, t->options, columns, error) : status;
}

static hn_status make_network(struct training *t, hn_error *error) {
    const struct baseline baseline = train_baseline(t->options);
    hn_policy_options policy = hn_policy_defaults();
    struct train_columns columns = {.count = t->source.outputs};
    size_t bytes;
    columns.column = size_multiply(t->source.outputs, sizeof *columns.column, &bytes) ? base_allocate(bytes) : NULL;
    if (!columns.column)
        return error_no_memory(error, "the network");
    hn_status status = baseline_head_create(&t->head, t->model, &baseline, policy.layer.instructions, error);
    baseline_apply(&baseline, t->head, &policy);
    columns.count = policy.head ? policy.head->width : columns.count;
    for (size_t j = 0; j < columns.count; j++)
        columns.column[j] = policy.head ? policy.head->columns[j] : j;
    if (status == HN_OK && t->options->init)
        status = init_check(t->network, t->options, t->source.inputs, columns.count, error);
    else if (status == HN_OK)
        status = network_with(t, &columns, error);
    base_release(columns.column);
    return status;
}

static hn_status make_trainer(struct training *t, hn_error *error) {
    hn_train_options options = train_trainer_options(t->options);
    const struct baseline baseline = train_baseline(t->options);
    baseline_apply(&baseline, t->head, &options.policy);
    hn_status status = hn_trainer_create(&t->trainer, t->model, t->network, &options, error);
    return status == HN_OK ? state_create(t, error) : status;
}

/* ---- batches ---- */

static hn_status make_batches(struct training *t, hn_error *error) {
    const struct train_options *options = t->options;
    size_t inputs = t->source.inputs, bytes;
    bool labelled = options->targets || options->reference || t->source.label_x;
    t->x = train_numbers(options->batch, inputs);
    t->targets = labelled ? train_numbers(options->batch, t->source.outputs) : NULL;
    t->validation_x = train_numbers(options->validation, inputs);
    t->objective = train_numbers(options->validation, 1);
    t->kept = train_numbers(options->validation, 1);
    t->sorted = train_numbers(options->validation, 1);
    t->reports = size_multiply(options->validation, sizeof *t->reports, &bytes) ? base_allocate(bytes) : NULL;
    if (!t->x || !t->validation_x || !t->objective || !t->kept || !t->sorted || !t->reports ||
        (labelled && !t->targets))
        return error_no_memory(error, "training");
    hn_status status = source_validation(&t->source, options->validation, t->validation_x, &t->validation, error);
    return status == HN_OK ? rollout_begin(&t->rollout, &t->source, error) : status;
}

/* ---- start ---- */

/* A finished training leaves a network without checkpoint: use --init to continue. */
static void warn_of_missing(const struct train_options *o) {
    bool finished = !o->init && access(o->out, F_OK) == 0;
    console_warning("--resume: there is no %s; the training starts from the beginning%s%s%s", o->checkpoint,
                    finished ? "; --init " : "", finished ? o->out : "",
                    finished ? " would start from the existing weights (--keep keeps a checkpoint)" : "");
}

static hn_status begin_anew(struct training *t, hn_error *error) {
    bool there = access(t->options->checkpoint, F_OK) == 0;
    if (t->options->resume)
        warn_of_missing(t->options);
    else if (there)
        console_warning("%s exists and will be replaced; --resume would continue from it", t->options->checkpoint);
    hn_status status = t->options->reference ? source_solve_labels(&t->source, t->options, error) : HN_OK;
    return status == HN_OK && t->options->init ? training_validate(t, error) : status;
}

static hn_status train_build_begin(struct training *t, hn_error *error) {
    hn_status status = HN_OK;
    if (t->options->reference)
        status = source_make_labels(&t->source, t->options->labels, error);
    if (status != HN_OK)
        return status;
    if (!t->options->resume || access(t->options->checkpoint, F_OK) != 0)
        return begin_anew(t, error);
    status = state_load(t, error);
    return status == HN_OK ? judge_recall(t, error) : status;
}

hn_status training_prepare(struct training *t, hn_error *error) {
    hn_status status = make_network(t, error);
    if (status == HN_OK)
        status = make_trainer(t, error);
    return status == HN_OK ? make_batches(t, error) : status;
}

static hn_status build(struct training *t, hn_error *error) {
    hn_status status = training_search(t, error);
    if (status != HN_OK || interrupt_came())
        return status;
    status = record_make(&t->record, t->options, t->model, &t->source, error);
    if (status == HN_OK && t->options->init)
        init_record(&t->record, t->network);
    if (status == HN_OK)
        status = training_prepare(t, error);
    if (status == HN_OK)
        status = hold_take_room(&t->hold, t, error);
    return status == HN_OK ? train_build_begin(t, error) : status;
}

int training_create(struct training *t) {
    hn_error error = {.status = HN_OK};
    int code = source_create(&t->source, t->model, t->options);
    if (code == VERB_OK)
        code = rollout_create(&t->rollout, t->model, t->options);
    if (code == VERB_OK)
        code = hold_begin(&t->hold, t->options);
    if (code == VERB_OK)
        code = training_survey(t);
    if (code == VERB_OK && build(t, &error) != HN_OK)
        code = layer_choice_explain(&error);
    return code == VERB_OK && interrupt_came() ? interrupt_code() : code;
}

/* What training_prepare makes. */
static void release_prepared(struct training *t) {
    void *numbers[] = {t->x, t->targets, t->validation_x, t->objective, t->kept, t->sorted, t->reports};
    state_release(&t->state);
    hn_trainer_destroy(t->trainer);
    hn_network_destroy(t->network);
    baseline_head_destroy(t->head);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        base_release(numbers[i]);
    t->state = (struct train_state){.rows = 0};
    t->trainer = NULL;
    t->head = NULL;
    t->network = NULL;
    t->x = t->targets = t->validation_x = t->objective = t->kept = t->sorted = NULL;
    t->reports = NULL;
}

hn_status training_restart(struct training *t, hn_error *error) {
    release_prepared(t);
    t->layer_steps = 0;
    t->steps_here = t->samples = t->undefined = t->rollout.moves = t->rollout.left = 0;
    hn_status status = record_make(&t->record, t->options, t->model, &t->source, error);
    if (status == HN_OK)
        status = training_prepare(t, error);
    return status == HN_OK ? hold_take_room(&t->hold, t, error) : status;
}

void training_release(struct training *t) {
    hold_release(&t->hold);
    release_prepared(t);
    rollout_release(&t->rollout);
    source_release(&t->source);
}
