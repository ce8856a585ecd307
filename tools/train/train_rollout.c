/* train_rollout.c - states in closed loop under the present policy.
 *
 * feedback.h computes the next state. A state is drawn again at random times, when its outputs are not ok (baselines:
 * not finite), and when it leaves the input range (by default) or violates a check of the model. Inputs that are not
 * fed back keep their value until then.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/verbs.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

/* ---- life ---- */

static bool train_rollout_make_room(struct train_rollout *r, size_t inputs, size_t outputs) {
    size_t bytes;
    r->x = train_numbers(r->count, inputs);
    r->y = train_numbers(r->count, outputs);
    r->reports = size_multiply(r->count, sizeof *r->reports, &bytes) && bytes > 0 ? base_allocate(bytes) : NULL;
    return r->x && r->y && (r->reports || r->count == 0);
}

/* ---- which loops ---- */

/* Not for baselines, which follow their publications, nor for targets and rows of a file, which have fixed inputs. */
static bool is_for_loops(const struct train_options *o) {
    return o->scheme == SCHEME_LAYER && !o->by_loss && o->goal != TRAIN_TARGETS && !o->x;
}

int train_feedback(struct train_options *o, const hn_model *model) {
    if (o->open_loop && o->feedback.count > 0)
        return verb_misuse("train", "--open-loop and --feedback exclude each other");
    if (o->feedback_beyond && o->feedback_inside)
        return verb_misuse("train", "--feedback-beyond and --feedback-inside exclude each other");
    o->hint = feedback_suggest(model);
    if (o->feedback.count > 0 || o->open_loop || o->hint.fitting == 0)
        return VERB_OK;
    if (o->hint.fitting > 1) {
        console_remark("next fits several inputs; --feedback INPUT=next would train along closed loops of one of them");
    } else if (!is_for_loops(o)) {
        if (o->scheme == SCHEME_LAYER && !o->by_loss)
            console_remark("the model has a next state; --feedback %s would train along closed loops, too",
                           o->hint.text);
    } else if (!text_list_append(&o->feedback, o->hint.text)) {
        console_error("--feedback: out of memory");
        return VERB_FAILED;
    } else {
        console_remark("closed loops, --feedback %s: the model has a next state; %g %% of each batch are states met on "
                       "the way (--open-loop: none)",
                       o->hint.text, 100 * o->feedback_share);
    }
    return VERB_OK;
}

int rollout_create(struct train_rollout *r, const hn_model *model, const struct train_options *options) {
    *r = (struct train_rollout){.count = 0};
    if (options->feedback.count == 0)
        return VERB_OK;
    r->count = (size_t)(options->feedback_share * (double)options->batch);
    if (!train_rollout_make_room(r, hn_model_input_count(model), hn_model_output_count(model))) {
        console_error("--feedback: out of memory");
        return VERB_FAILED;
    }
    return feedback_create(&r->feedback, model, &options->feedback);
}

void rollout_release(struct train_rollout *r) {
    base_release(r->x);
    base_release(r->y);
    base_release(r->reports);
    feedback_release(&r->feedback);
}

hn_status rollout_begin(struct train_rollout *r, const struct train_source *source, hn_error *error) {
    struct random random = train_random(source->seed, STREAM_ROLLOUT, 0);
    hn_status status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < r->count; i++)
        status = source_row(source, &random, r->x + i * source->inputs, NULL, error);
    return status;
}

/* ---- one step on ---- */

static bool is_inside(const struct train_source *source, const struct train_options *options, const double *x) {
    for (size_t i = 0; i < source->inputs; i++) {
        hn_input_info input = hn_model_input(source->model, i);
        if (!isfinite(x[i]) || (!options->feedback_beyond && (x[i] < input.lower || x[i] > input.upper)))
            return false;
    }
    return true;
}

hn_status rollout_choose_beyond(struct train_rollout *r, const struct train_source *source,
                                struct train_options *options, hn_error *error) {
    size_t left = 0;
    if (r->count == 0 || options->feedback_beyond || options->feedback_inside)
        return HN_OK;
    double *x = train_numbers(1, source->inputs);
    hn_status status = x ? HN_OK : error_no_memory(error, "--feedback");
    for (size_t i = 0; status == HN_OK && i < source->labels; i++) {
        memcpy(x, source->label_x + i * source->inputs, source->inputs * sizeof *x);
        status = feedback_advance(&r->feedback, source->model, x, source->label_y + i * source->outputs, error);
        left += !is_inside(source, options, x);
    }
    if (status == HN_OK && 2 * left > source->labels) {
        options->feedback_beyond = true;
        console_remark("closed loops go on beyond the box: the optimum leaves it in one step at %zu of %zu inputs "
                       "(--feedback-inside: they end there)",
                       left, source->labels);
    }
    base_release(x);
    return status;
}

/* Moves state i; *left when it cannot go on. */
static hn_status move(struct train_rollout *r, const struct train_source *source, const struct train_options *options,
                      size_t i, bool *left, hn_error *error) {
    double *x = r->x + i * source->inputs;
    size_t broken = 0;
    *left = !options->by_loss && r->reports[i].outcome != HN_OUTCOME_OK;
    if (*left)
        return HN_OK;
    hn_status status = feedback_advance(&r->feedback, source->model, x, r->y + i * source->outputs, error);
    *left = !is_inside(source, options, x);
    r->moves++;
    r->left += *left;
    if (status == HN_OK && !*left) {
        status = inputs_broken(source->model, x, &broken, error);
        *left = broken < hn_model_requirement_count(source->model);
    }
    return status;
}

hn_status rollout_advance(struct train_rollout *r, const struct train_source *source,
                          const struct train_options *options, hn_policy *policy, size_t step, hn_error *error) {
    struct random random = train_random(source->seed, STREAM_ROLLOUT, step);
    hn_status status = r->count > 0 ? hn_policy_run(policy, r->count, r->x, r->y, NULL, r->reports, error) : HN_OK;
    for (size_t i = 0; status == HN_OK && i < r->count; i++) {
        bool ends = random_uniform(&random) * (double)options->feedback_steps < 1, left = false;
        if (!ends)
            status = move(r, source, options, i, &left, error);
        if (status == HN_OK && (ends || left))
            status = source_row(source, &random, r->x + i * source->inputs, NULL, error);
    }
    return status;
}
