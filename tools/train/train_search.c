/* train_search.c - searches for several optima and chooses the number of candidates.
 *
 * A few inputs are solved by the method optimal from several starts. Where the first start leads to the best for nearly
 * all, there is nothing to search for: one candidate, no labels. Otherwise labels are made from more starts
 * (train_teacher.c); the first steps imitate them, the candidate that is nearest to a label taking most of it, and
 * later steps explore from the labels of similar inputs. The number of candidates, unless given, is doubled from 1 on,
 * each time in a short training on the labels, while that lowers the objective of the validation inputs; a second look
 * after a quarter of the steps finds optima that jump between inputs, each of which is found from the first start: then
 * the search is made after all, and the training begins anew. They are refined there, so that it is the optima that
 * count and not yet how well they are met. A training that is taken up again finds what was chosen in its checkpoint.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "common/effort.h"
#include "common/interrupt.h"
#include "train/train.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_STEPS = 1000 }; /* of a training; a search would cost more than a shorter one */
enum { PROBE = 100, MOST_LABELS = 4000, LEAST_LABELS = 500, USUAL_OUTPUTS = 50 };
enum { LABEL_STARTS = 3 };  /* times those of the probe: a label that is not the best optimum is learnt, too */
enum { LOOK_SHARE = 4 };    /* second search after a quarter of the steps */
enum { SEVERAL_STEPS = 2 }; /* times the usual ones: branches that part are more to learn */
enum { MOST_CANDIDATES = 8, TRIAL_STEPS = 300, TRIAL_WARMUP = 20, TRIAL_REFINE = 2, TARGET_SHARE = 4 /* a quarter */ };

static const double MOST_WORK = 1e13; /* operations of labels: many minutes of a core */
static const double FEW = 0.01;   /* up to this share of inputs with a better optimum than the first, the optimum counts
                                   * as unique */
static const double MANY = 0.1;   /* share of inputs at which the network is at another optimum than the best */
static const double PAYS = 0.005; /* share of the objective that twice as many candidates must bring */

static const char KEY_CANDIDATES[] = "--candidates", KEY_LABELS[] = "labels found",
                  KEY_TARGET_STEPS[] = "--target-steps", KEY_BEYOND[] = "--feedback-beyond";

bool train_chooses(const struct train_options *o) {
    return o->scheme == SCHEME_LAYER && !o->by_loss && o->steps >= LEAST_STEPS;
}

bool train_searches(const struct train_options *o) {
    return o->multistart > 0 && train_chooses(o) && o->goal == TRAIN_IMPROVE && o->explore > 0 && !o->targets &&
           !o->reference;
}

/* Fewer for larger models, whose solutions are slower. */
static size_t label_count(const struct training *t) {
    size_t outputs = t->source.outputs;
    size_t count = outputs > USUAL_OUTPUTS ? (size_t)MOST_LABELS * USUAL_OUTPUTS / outputs : MOST_LABELS;
    return count > LEAST_LABELS ? count : LEAST_LABELS;
}

/* Whether the labels would be a matter of hours. */
static hn_status is_too_large(const struct training *t, bool *large, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    struct effort effort = {.step = 0};
    hn_layer *layer = NULL;
    hn_status status = hn_layer_create(&layer, t->model, &options, error);
    if (status == HN_OK)
        status = effort_find(&effort, t->model, layer, error);
    hn_layer_destroy(layer);
    double solutions = (double)(LABEL_STARTS * t->options->multistart + NEIGHBOURS) * (double)label_count(t);
    *large = solutions * effort_solution(&effort) > MOST_WORK;
    return status;
}

/* ---- how many candidates ---- */

/* objective: of each validation input, NaN where it is not ok. */
static hn_status try_candidates(struct training *t, size_t candidates, double *objective, hn_error *error) {
    struct train_options options = *t->options;
    struct training trial = {.options = &options, .model = t->model, .source = t->source};
    options.candidates = candidates;
    options.resume = false;
    options.refine = TRIAL_REFINE;
    options.target_steps = options.steps = options.validate_every = TRIAL_STEPS;
    options.warmup = TRIAL_WARMUP;
    hn_status status = training_prepare(&trial, error);
    for (size_t i = 0; status == HN_OK && i < TRIAL_STEPS && !interrupt_came(); i++)
        status = training_step(&trial, NULL, error);
    if (status == HN_OK)
        status = training_validate(&trial, error);
    if (status == HN_OK)
        memcpy(objective, trial.kept, trial.validation * sizeof *objective);
    if (status == HN_OK && !interrupt_came())
        console_remark("%zu candidate%s: %s %.5g in the mean after %d steps and refinement", candidates,
                       candidates > 1 ? "s" : "", hn_model_objective(t->model).name,
                       state_objective(t, trial.state.number[NUMBER_BEST_OBJECTIVE]), TRIAL_STEPS);
    trial.source = (struct train_source){.model = NULL}; /* it belongs to t */
    training_release(&trial);
    return status;
}

/* Whether more inputs are ok, or the mean over inputs ok in both cases is lower by a sufficient share. */
static bool pays(size_t count, const double *before, const double *after) {
    struct judge_pair pair = judge_pair(count, before, after);
    double more = ((double)pair.won - (double)pair.lost) / (double)(pair.both + pair.won + pair.lost + 1);
    return fabs(more) > PAYS ? more > 0 : pair.after < pair.before - PAYS * fabs(pair.before);
}

/* *better: better than the best weights so far. */
static hn_status choose_candidates(struct training *t, bool *better, hn_error *error) {
    size_t count = t->options->validation;
    double *least = train_numbers(2 * count, 1), *now = least ? least + count : NULL;
    for (size_t i = 0; least && i < 2 * count; i++)
        least[i] = NAN; /* a file may have fewer inputs */
    hn_status status = least ? try_candidates(t, 1, least, error) : error_no_memory(error, "candidates");
    for (size_t k = 2; status == HN_OK && k <= MOST_CANDIDATES && !interrupt_came(); k *= 2) {
        status = try_candidates(t, k, now, error);
        if (status != HN_OK || !pays(count, least, now))
            break;
        memcpy(least, now, count * sizeof *now);
        t->options->candidates = k;
    }
    *better = status == HN_OK && t->kept && pays(t->validation, t->kept, least);
    base_release(least);
    return status;
}

/* Whether the number of candidates is settled. */
static bool has_shape(const struct train_options *o) {
    return o->candidates_given || o->init;
}

/* ---- what there is ---- */

static hn_status make_labels(struct training *t, hn_error *error) {
    struct train_source *s = &t->source;
    struct train_lesson lesson = {(int)t->options->common.threads, LABEL_STARTS * t->options->multistart,
                                  2 * s->most_labels};
    s->labels = s->tried = 0; /* those of the probe, too */
    hn_status status = source_teach_labels(s, &lesson, error);
    return status == HN_OK ? source_share_labels(s, lesson.threads, error) : status;
}

static hn_status probe(struct training *t, hn_error *error) {
    struct train_source *s = &t->source;
    size_t most = s->most_labels;
    const struct train_lesson lesson = {(int)t->options->common.threads, t->options->multistart, PROBE};
    s->most_labels = PROBE < most ? PROBE : most;
    hn_status status = source_teach_labels(s, &lesson, error);
    s->most_labels = most;
    t->options->probed = s->labels;
    t->options->several = s->several;
    return status;
}

static hn_status search(struct training *t, hn_error *error) {
    struct train_source *s = &t->source;
    bool large = false, better = false;
    hn_status status = is_too_large(t, &large, error);
    if (status == HN_OK && large) {
        console_remark(
            "several optima are not searched for: the model is large; --reference optimal learns from one start");
        return HN_OK;
    }
    if (status == HN_OK)
        status = source_make_labels(s, label_count(t), error);
    if (status == HN_OK)
        status = probe(t, error);
    if (status == HN_OK && !interrupt_came())
        status = rollout_choose_beyond(&t->rollout, s, t->options, error);
    if (status != HN_OK || interrupt_came())
        return status;
    if ((double)s->several <= FEW * (double)s->labels) {
        source_drop_labels(s);
        return HN_OK;
    }
    console_remark("several optima: for %zu of %zu inputs another start leads to a better one; looking for them",
                   s->several, s->labels);
    status = make_labels(t, error);
    if (status == HN_OK && !has_shape(t->options) && !interrupt_came())
        status = choose_candidates(t, &better, error);
    return status;
}

/* ---- resuming ---- */

static hn_status read_count(const struct training *t, const char *key, size_t *count, hn_error *error) {
    char text[RECORD_TEXT] = "";
    hn_status status = hn_checkpoint_read_text(t->options->checkpoint, key, sizeof text, text, error);
    if (status == HN_OK)
        *count = strtoul(text, NULL, 10);
    return status;
}

static hn_status recall_beyond(struct training *t, hn_error *error) {
    char text[RECORD_TEXT] = "";
    hn_status status = hn_checkpoint_read_text(t->options->checkpoint, KEY_BEYOND, sizeof text, text, error);
    t->options->feedback_beyond = t->options->feedback_beyond || strcmp(text, "yes") == 0;
    return status;
}

static hn_status recall(struct training *t, hn_error *error) {
    size_t labels = 0, candidates = t->options->candidates;
    hn_status status = read_count(t, KEY_LABELS, &labels, error);
    if (status == HN_OK && labels > 0 && !t->options->init)
        status = read_count(t, KEY_TARGET_STEPS, &t->options->target_steps, error);
    if (status == HN_OK && !has_shape(t->options))
        status = read_count(t, KEY_CANDIDATES, &candidates, error);
    if (status == HN_OK && t->rollout.count > 0 && !t->options->feedback_inside)
        status = recall_beyond(t, error);
    if (status != HN_OK)
        return status;
    if (candidates < 1 || candidates > HN_POLICY_MOST_CANDIDATES || labels > label_count(t))
        return error_set(error, HN_SYNTAX, "%s: its numbers are invalid", t->options->checkpoint);
    t->options->candidates = candidates;
    return labels > 0 ? source_make_labels(&t->source, labels, error) : HN_OK;
}

/* Labels were found, or are in the checkpoint. */
static void plan_steps(struct train_options *o, size_t labels, bool again) {
    bool usual = !o->steps_given && !o->epochs_given && o->steps <= INT_MAX / SEVERAL_STEPS;
    o->found = labels;
    if (labels > 0 && usual)
        o->steps *= SEVERAL_STEPS;
    if (labels > 0 && !again && !o->init) /* whose weights know more than labels do */
        o->target_steps = o->steps / TARGET_SHARE;
}

hn_status training_search(struct training *t, hn_error *error) {
    if (!train_searches(t->options))
        return HN_OK;
    bool again = t->options->resume && access(t->options->checkpoint, F_OK) == 0;
    hn_status status = again ? recall(t, error) : search(t, error);
    plan_steps(t->options, again ? t->source.most_labels : t->source.labels, again);
    return status;
}

/* ---- a second look ---- */

bool training_looks_again(const struct training *t) {
    const struct train_options *o = t->options;
    return train_searches(o) && o->found == 0 && !has_shape(o) && !t->looked_again && !t->state.extended &&
           state_count(t, NUMBER_STEPS) == o->steps / LOOK_SHARE;
}

/* Labels and candidates after all; the training begins again where a short one with them is better than the present
 * weights. */
static hn_status search_after_all(struct training *t, hn_error *error) {
    struct train_source *s = &t->source;
    bool better = false;
    hn_status status = source_make_labels(s, label_count(t), error);
    if (status == HN_OK)
        status = make_labels(t, error);
    if (status == HN_OK && !interrupt_came())
        status = choose_candidates(t, &better, error);
    if (status != HN_OK || interrupt_came())
        return status;
    if (!better) {
        t->options->candidates = 1;
        source_drop_labels(s);
        return HN_OK;
    }
    console_remark("the training begins again, from these optima, with %zu candidate%s", t->options->candidates,
                   t->options->candidates > 1 ? "s" : "");
    plan_steps(t->options, s->labels, false);
    return training_restart(t, error);
}

/* Even if the first start leads to the best optimum of every input, the optimum may be discontinuous in the input. A
 * network with one candidate cannot follow it and stays at the optimum that it found first. */
hn_status training_look_again(struct training *t, hn_error *error) {
    struct prospects prospects = {.count = 0};
    bool large = false;
    t->looked_again = true;
    hn_status status = is_too_large(t, &large, error);
    if (status == HN_OK && !large)
        status = train_find_prospects(t, &prospects, error);
    bool stuck = (double)prospects.others > MANY * (double)prospects.solutions && prospects.other_mean > PAYS;
    if (status != HN_OK || large || !stuck || interrupt_came())
        return status;
    console_remark(
        "the optimum jumps: %zu of %zu inputs have another optimum that is 1 %% better than where the network is; "
        "looking for them",
        prospects.others, prospects.solutions);
    return search_after_all(t, error);
}
