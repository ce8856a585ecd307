/* train_record.c - the options that decide the bits of a training, as texts.
 *
 * The record does not depend on the machine, the date or the number of threads. Numbers are written so that they read
 * back as the same double. A file of inputs is identified by its content, not its name.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "train/train.h"

#include <stdarg.h>
#include <stdio.h>

void record_add(struct train_record *record, const char *key, const char *format, ...) {
    size_t i = record->count;
    va_list arguments;
    if (i == RECORD_MOST)
        return;
    record->count++;
    snprintf(record->keys[i], sizeof record->keys[i], "%s", key);
    va_start(arguments, format);
    vsnprintf(record->values[i], sizeof record->values[i], format, arguments);
    va_end(arguments);
    record->texts[i] = (hn_metadata){record->keys[i], record->values[i]};
}

void record_add_real(struct train_record *record, const char *key, double value) {
    record_add(record, key, "%s", error_number(value).text);
}

static void add_count(struct train_record *record, const char *key, size_t value) {
    record_add(record, key, "%zu", value);
}

static void add_file(struct train_record *record, const char *key, const struct train_file *file) {
    if (file->rows > 0)
        record_add(record, key, "%zu x %zu numbers with checksum %08lx", file->rows, file->columns,
                   (unsigned long)file->checksum);
    else
        record_add(record, key, "none");
}

static void add_layer(struct train_record *record, const struct train_options *o) {
    hn_train_options trainer = train_trainer_options(o);
    const hn_layer_options *final = &trainer.policy.layer;
    record_add(record, "--method", "%s", o->choice.method ? o->choice.method : hn_method_text(final->method));
    record_add_real(record, "--damping", final->damping);
    record_add(record, "--iterations", "%d", final->iterations);
    record_add_real(record, "--tolerance", final->tolerance);
    if (final->effort != 1)
        record_add_real(record, "--effort", final->effort);
    record_add(record, "--relative", "%s", final->relative ? "yes" : "no");
    record_add(record, "--train-iterations", "%d", trainer.layer.iterations);
    add_count(record, "--candidates", o->candidates);
    if (o->refine_given || !train_chooses(o))
        add_count(record, "--refine", o->refine);
    else
        record_add(record, "--refine", "as it pays");
    if (o->scheme != SCHEME_DC3)
        return;
    add_count(record, "--correction-steps", o->correction_steps);
    record_add_real(record, "--correction-rate", o->correction_rate);
    record_add_real(record, "--momentum", o->momentum);
}

static void add_steps(struct train_record *record, const struct train_options *o) {
    add_count(record, "--seed", o->seed);
    record_add(record, "--hidden", "%s", o->hidden);
    record_add(record, "--activation", "%s", o->activation);
    if (o->network.residual || o->network.layer_norm) {
        record_add(record, "--structure", "%s", o->structure);
        record_add(record, "--norm", "%s", o->norm);
    }
    record_add(record, "--network", "%s", o->first);
    record_add(record, "--loss", "%s", o->loss);
    if (o->goal == TRAIN_IMPROVE) {
        add_count(record, "--improve", o->improve);
        record_add_real(record, "--explore", o->explore);
    }
    add_count(record, "--steps", o->steps);
    add_count(record, "--batch", o->batch);
    record_add_real(record, "--rate", o->rate);
    add_count(record, "--warmup", o->warmup);
    record_add_real(record, "--last-share", o->last_share);
    record_add_real(record, "--clip-sample", o->clip_sample);
    record_add_real(record, "--clip-batch", o->clip_batch);
    record_add_real(record, "--residual-weight", o->residual_weight);
    record_add_real(record, "--move-weight", o->move_weight);
    record_add_real(record, "--penalty", o->penalty);
    add_count(record, "--validation", o->validation);
    add_count(record, "--validate-every", o->validate_every);
    add_count(record, "--patience", o->patience);
}

static void add_feedback(struct train_record *record, const struct train_options *o) {
    char joined[RECORD_TEXT] = "";
    for (size_t i = 0; i < o->feedback.count; i++) {
        size_t used = 0;
        while (joined[used])
            used++;
        snprintf(joined + used, sizeof joined - used, "%s%s", i > 0 ? "," : "", o->feedback.items[i]);
    }
    record_add(record, "--feedback", "%s", o->feedback.count > 0 ? joined : "none");
    if (o->feedback.count == 0)
        return;
    record_add_real(record, "--feedback-share", o->feedback_share);
    add_count(record, "--feedback-steps", o->feedback_steps);
    record_add(record, "--feedback-beyond", "%s", o->feedback_beyond ? "yes" : "no");
}

hn_status record_make(struct train_record *record, const struct train_options *options, const hn_model *model,
                      const struct train_source *source, hn_error *error) {
    char fingerprint[HN_FINGERPRINT_BYTES];
    hn_status status = hn_model_fingerprint(model, fingerprint, error);
    if (status != HN_OK)
        return status;
    record->count = 0;
    record_add(record, "model", "%s", fingerprint);
    record_add(record, "version", "%d.%d.%d", HN_VERSION_MAJOR, HN_VERSION_MINOR, HN_VERSION_PATCH);
    add_steps(record, options);
    add_layer(record, options);
    add_file(record, "--x", &source->x);
    add_file(record, "--targets", &source->targets);
    record_add(record, "--reference", "%s", options->reference ? options->reference : "none");
    if (options->reference)
        add_count(record, "--labels", options->labels);
    if (train_searches(options)) {
        add_count(record, "--multistart", options->multistart);
        add_count(record, "labels found", options->found);
    }
    if (options->target_steps > 0)
        add_count(record, "--target-steps", options->target_steps);
    add_feedback(record, options);
    return HN_OK;
}
