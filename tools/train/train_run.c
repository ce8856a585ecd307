/* train_run.c - the loop: steps with periodic validations and checkpoints, until the end or an interrupt.
 *
 * The state in a checkpoint determines what comes next: whether the last step needs a validation, whether patience is
 * exhausted. So a training can be interrupted between any two steps. train_judge.c selects the best weights.
 *
 * train_judge.c decides which weights are the best.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "common/console.h"
#include "common/interrupt.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a step ---- */

enum { EXPLORE_EVERY = 2 }; /* steps, from labels */
enum { WINDOW = 10 };       /* steps whose corrections are judged together */
enum { ENOUGH = 100 };      /* limit of consecutive steps whose samples are all dropped */

static bool uses_targets(const struct training *t, size_t step) {
    return t->options->goal == TRAIN_TARGETS || step < t->options->target_steps;
}

/* First the states in closed loop, which have no targets, then rows of the source. */
static hn_status train_run_draw(struct training *t, size_t step, bool targets, hn_error *error) {
    struct random random = train_random(t->options->seed, STREAM_BATCH, step);
    size_t inputs = t->source.inputs, first = targets ? 0 : t->rollout.count;
    hn_status status = HN_OK;
    if (first > 0)
        memcpy(t->x, t->rollout.x, first * inputs * sizeof *t->x);
    for (size_t i = first; status == HN_OK && i < t->options->batch; i++)
        status = source_row(&t->source, &random, t->x + i * inputs, targets ? t->targets + i * t->source.outputs : NULL,
                            error);
    return status;
}

/* Once, where the survey has not seen it: the network's outputs may be harder to correct than the start values. */
static void warn_of_slow_steps(struct training *t) {
    double steps = t->layer_steps / WINDOW;
    t->layer_steps = 0;
    if (!survey_is_slow(steps) || survey_is_slow(t->found.median_steps) || t->told_slow)
        return;
    t->told_slow = true;
    console_warning(
        "corrections take %.0f steps in the mean, which makes training slow; hardnet check --survey 200 searches for "
        "the constraints and units that cause it",
        steps);
}

static void add_up(struct training *t, const hn_train_report *report) {
    double *number = t->state.number;
    t->steps_here++;
    t->samples += report->samples;
    t->layer_steps += report->steps;
    if (t->steps_here % WINDOW == 0)
        warn_of_slow_steps(t);
    if (t->undefined == 0)
        t->undefined_row = report->undefined_row;
    t->undefined += report->undefined;
    number[NUMBER_STEPS]++;
    number[NUMBER_DROPPED] += (double)report->dropped;
    if (!isfinite(report->loss))
        return;
    number[NUMBER_SUM_STEPS]++;
    number[NUMBER_SUM_LOSS] += report->loss;
    number[NUMBER_SUM_OBJECTIVE] += report->objective;
    number[NUMBER_SUM_RESIDUAL] += report->residual;
    number[NUMBER_SUM_MOVED] += report->moved;
    number[NUMBER_SUM_GRADIENT] += report->gradient;
    number[NUMBER_MOST_VIOLATION] = fmax(number[NUMBER_MOST_VIOLATION], report->violation);
}

/* Where exploring starts: the label of one of the inputs that are nearest. */
static void draw_starts(struct training *t, size_t step) {
    struct random random = train_random(t->options->seed, STREAM_STARTS, step);
    size_t nearest[NEIGHBOURS + 1], outputs = t->source.outputs;
    for (size_t i = 0; i < t->options->batch; i++) {
        size_t found = source_neighbours(&t->source, t->x + i * t->source.inputs, nearest);
        size_t label = nearest[random_below(&random, found)];
        memcpy(t->targets + i * outputs, t->source.label_y + label * outputs, outputs * sizeof *t->targets);
    }
}

/* A step on the drawn batch: with targets, with exploration from labels, or plain. */
static hn_status learn(struct training *t, size_t step, bool targets, hn_train_report *report, hn_error *error) {
    size_t batch = t->options->batch;
    if (targets || t->options->found == 0 || step % EXPLORE_EVERY != 0)
        return hn_trainer_step(t->trainer, batch, t->x, targets ? t->targets : NULL, report, error);
    draw_starts(t, step);
    return hn_trainer_step_from(t->trainer, batch, t->x, t->targets, report, error);
}

hn_status training_step(struct training *t, hn_train_report *report, hn_error *error) {
    size_t step = state_count(t, NUMBER_STEPS);
    bool targets = uses_targets(t, step);
    hn_train_report own = {0};
    report = report ? report : &own;
    hn_status status = train_run_draw(t, step, targets, error);
    if (status == HN_OK)
        status = learn(t, step, targets, report, error);
    if (status == HN_OK && !targets && t->rollout.count > 0)
        status = rollout_advance(&t->rollout, &t->source, t->options, hn_trainer_policy(t->trainer), step + 1, error);
    if (status == HN_OK)
        add_up(t, report);
    return status;
}

/* ---- when nothing can be learnt ---- */

static bool learns_nothing(const struct training *t) {
    return t->samples == 0 &&
           t->steps_here >= (t->options->validate_every < ENOUGH ? t->options->validate_every : ENOUGH);
}

static hn_status give_up(struct training *t, hn_error *error) {
    bool scaled = strcmp(t->options->first, "scaled") == 0;
    char reason[256] = "their loss is not finite";
    if (t->undefined > 0)
        snprintf(reason, sizeof reason, "constraint %.120s has no value (NaN) at the network's outputs",
                 hn_model_row(t->model, t->undefined_row).name);
    t->hopeless = true;
    return error_set(error, HN_UNSUPPORTED,
                     "all samples of %zu steps were dropped: %s; no network is written. Start "
                     "elsewhere: %s, or --init with a trained network",
                     t->steps_here, reason,
                     scaled ? "other start values (:=)" : "--network scaled starts from corrected start values");
}

/* ---- a validation ---- */

static void add_to_curve(struct training *t, const struct train_verdict *verdict) {
    struct train_state *s = &t->state;
    double *number = s->number, steps = number[NUMBER_SUM_STEPS];
    const double row[CURVE_COLUMNS] = {
        number[NUMBER_STEPS],
        number[NUMBER_SUM_LOSS] / steps,
        state_objective(t, number[NUMBER_SUM_OBJECTIVE] / steps),
        number[NUMBER_SUM_RESIDUAL] / steps,
        number[NUMBER_MOST_VIOLATION],
        number[NUMBER_SUM_MOVED] / steps,
        number[NUMBER_SUM_GRADIENT] / steps,
        number[NUMBER_DROPPED],
        state_objective(t, verdict->objective),
        (double)verdict->ok,
        verdict->violation,
    };
    if (s->rows < s->most_rows)
        memcpy(s->curve + s->rows++ * CURVE_COLUMNS, row, sizeof row);
    for (int i = NUMBER_SUM_STEPS; i <= NUMBER_MOST_VIOLATION; i++)
        number[i] = 0;
}

hn_status training_validate(struct training *t, hn_error *error) {
    struct train_verdict verdict;
    hn_status status = judge_run(t, &verdict, error);
    if (status != HN_OK)
        return status;
    judge_keep(t, &verdict);
    add_to_curve(t, &verdict);
    t->state.number[NUMBER_VALIDATED] = t->state.number[NUMBER_STEPS];
    return HN_OK;
}

/* ---- checkpoints ---- */

void training_keep(struct training *t) {
    hn_error error;
    if (state_save(t, &error) != HN_OK)
        console_warning("%s; the checkpoint before it stays", error.text);
    if (t->options->log && state_write_log(t, &error) != HN_OK)
        console_warning("%s", error.text);
}

static void keep_when_due(struct training *t, double *kept) {
    size_t every = t->options->checkpoint_steps, steps = state_count(t, NUMBER_STEPS);
    double now = clock_seconds();
    if (now - *kept < t->options->checkpoint_seconds && (every == 0 || steps % every != 0))
        return;
    training_keep(t);
    *kept = clock_seconds();
}

/* ---- the loop ---- */

static bool validation_is_due(const struct training *t) {
    size_t steps = state_count(t, NUMBER_STEPS);
    bool turn = steps % t->options->validate_every == 0 || steps == t->options->steps;
    return turn && steps != state_count(t, NUMBER_VALIDATED);
}

static bool is_over(const struct training *t) {
    size_t patience = t->options->patience;
    return state_count(t, NUMBER_STEPS) >= t->options->steps ||
           (patience > 0 && state_count(t, NUMBER_WAITED) >= patience);
}

hn_status training_run(struct training *t, bool *done, hn_error *error) {
    struct train_progress progress;
    hn_train_report report = {.samples = 0};
    double kept = clock_seconds();
    hn_status status = HN_OK;
    *done = false;
    train_progress_begin(&progress, t);
    while (status == HN_OK && !*done && !interrupt_came()) {
        if (validation_is_due(t))
            status = training_validate(t, error);
        else if (training_looks_again(t)) {
            status = training_look_again(t, error);
            if (state_count(t, NUMBER_STEPS) == 0)
                train_progress_begin(&progress, t);
        } else if (is_over(t))
            *done = true;
        else {
            status = training_step(t, &report, error);
            train_progress_step(&progress, t, &report);
            if (status == HN_OK && learns_nothing(t))
                status = give_up(t, error);
            else if (status == HN_OK)
                keep_when_due(t, &kept);
        }
    }
    train_progress_end(&progress);
    return status;
}
