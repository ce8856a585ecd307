/* train_state.c - the state of a training: to and from checkpoints, and the curve as CSV.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "common/text.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 1000000 }; /* of the curve; later rows are omitted */

/* ---- life ---- */

hn_status state_create(struct training *t, hn_error *error) {
    struct train_state *s = &t->state;
    s->parameters = hn_network_parameter_count(t->network);
    s->most_rows = t->options->steps / t->options->validate_every + 2; /* the last, and that of --init */
    s->most_rows = s->most_rows < MOST_ROWS ? s->most_rows : MOST_ROWS;
    s->best = train_numbers(1, s->parameters);
    s->number[NUMBER_PLANNED] = (double)t->options->steps;
    s->curve = base_allocate(s->most_rows * CURVE_COLUMNS * sizeof *s->curve);
    return s->best && s->curve ? HN_OK : error_no_memory(error, "training");
}

void state_release(struct train_state *s) {
    base_release(s->best);
    base_release(s->curve);
}

double state_objective(const struct training *t, double minimized) {
    return hn_model_objective(t->model).maximize ? -minimized : minimized;
}

/* ---- checkpoints ---- */

enum { PART_CURVE = 5, PART_LABEL_X = 7, PARTS = 9 };

/* The arrays of a checkpoint, in its order; those that may have fewer rows come at their places above. */
static hn_checkpoint state_parts(struct training *t, hn_checkpoint_part parts[PARTS]) {
    struct train_state *s = &t->state;
    struct train_source *source = &t->source;
    const hn_checkpoint_part all[PARTS] = {
        {"numbers", s->number, 1, NUMBERS, false, HN_CHECKPOINT_ANY},
        {"weights", hn_network_parameters(t->network), 1, s->parameters, false, HN_CHECKPOINT_FINITE},
        {"moment.0", hn_trainer_moment(t->trainer, 0), 1, s->parameters, false, HN_CHECKPOINT_FINITE},
        {"moment.1", hn_trainer_moment(t->trainer, 1), 1, s->parameters, false, HN_CHECKPOINT_NOT_NEGATIVE},
        {"best", s->best, 1, s->parameters, false, HN_CHECKPOINT_FINITE},
        {"curve", s->curve, s->rows, CURVE_COLUMNS, true, HN_CHECKPOINT_ANY},
        {"rollout", t->rollout.x, t->rollout.count, source->inputs, false, HN_CHECKPOINT_FINITE},
        {"label.x", source->label_x, source->labels, source->inputs, true, HN_CHECKPOINT_FINITE},
        {"label.y", source->label_y, source->labels, source->outputs, true, HN_CHECKPOINT_FINITE},
    };
    memcpy(parts, all, sizeof all);
    return (hn_checkpoint){t->record.count, PARTS, t->record.texts, parts};
}

hn_status state_save(struct training *t, hn_error *error) {
    hn_checkpoint_part parts[PARTS];
    hn_checkpoint checkpoint = state_parts(t, parts);
    return hn_checkpoint_save(&checkpoint, t->options->checkpoint, error);
}

/* Checks the values: a valid checksum does not guarantee them. */
static bool sensible(const struct training *t) {
    static const enum train_number counts[] = {NUMBER_STEPS,     NUMBER_VALIDATED, NUMBER_WAITED,    NUMBER_DROPPED,
                                               NUMBER_BEST_STEP, NUMBER_BEST_OK,   NUMBER_SUM_STEPS, NUMBER_PLANNED};
    const double *number = t->state.number;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (!(number[counts[i]] >= 0 && number[counts[i]] <= 0x1p53 && number[counts[i]] == floor(number[counts[i]])))
            return false;
    return number[NUMBER_BEST_STEP] <= number[NUMBER_STEPS];
}

/* More steps than in the checkpoint extend the training; the learning rate follows the longer schedule from here on. */
static void extend(struct training *t) {
    size_t planned = state_count(t, NUMBER_PLANNED), steps = t->options->steps;
    if (planned == steps)
        return;
    console_remark("--resume: %zu steps instead of %zu; the training goes on from step %zu", steps, planned,
                   state_count(t, NUMBER_STEPS));
    t->state.extended = true;
    t->state.number[NUMBER_PLANNED] = (double)steps;
    t->state.number[NUMBER_WAITED] = 0;
}

/* All texts of the record but the number of steps. */
static void leave_out_steps(hn_checkpoint *checkpoint, hn_metadata *texts) {
    size_t count = 0;
    for (size_t i = 0; i < checkpoint->text_count; i++)
        if (strcmp(checkpoint->texts[i].key, "--steps") != 0)
            texts[count++] = checkpoint->texts[i];
    checkpoint->text_count = count;
    checkpoint->texts = texts;
}

hn_status state_load(struct training *t, hn_error *error) {
    const char *path = t->options->checkpoint;
    hn_checkpoint_part parts[PARTS];
    hn_metadata texts[RECORD_MOST];
    t->state.rows = t->state.most_rows; /* up to the capacity */
    t->source.labels = t->source.most_labels;
    hn_checkpoint checkpoint = state_parts(t, parts);
    leave_out_steps(&checkpoint, texts);
    hn_status status = hn_checkpoint_load(&checkpoint, path, error);
    if (status != HN_OK)
        return status;
    t->state.rows = parts[PART_CURVE].rows;
    t->source.labels = parts[PART_LABEL_X].rows;
    bool labelled = t->source.labels > 0 && t->source.labels == parts[PART_LABEL_X + 1].rows;
    if (!sensible(t) || (t->source.most_labels > 0 && !labelled))
        return error_set(error, HN_SYNTAX, "%s: its numbers are invalid", path);
    if (state_count(t, NUMBER_STEPS) > t->options->steps)
        return error_set(
            error, HN_INVALID,
            "--resume: %s has %zu steps behind it, and this training is to have %zu; --steps %zu ends it with "
            "its best network, more steps go on",
            path, state_count(t, NUMBER_STEPS), t->options->steps, state_count(t, NUMBER_STEPS));
    extend(t);
    hn_trainer_set_steps(t->trainer, (int)state_count(t, NUMBER_STEPS));
    return HN_OK;
}

/* ---- the curve ---- */

hn_status state_write_log(const struct training *t, hn_error *error) {
    struct text text = {.bytes = NULL};
    text_print(&text, "step,loss,objective,residual,violation,moved,gradient,dropped,validation_objective,"
                      "validation_ok,validation_violation\n");
    for (size_t i = 0; i < t->state.rows * CURVE_COLUMNS; i++)
        text_print(&text, "%s%c", error_number(t->state.curve[i]).text, (i + 1) % CURVE_COLUMNS == 0 ? '\n' : ',');
    hn_status status = text_write(&text, t->options->log, error);
    text_release(&text);
    return status;
}
